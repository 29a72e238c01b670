import { cronProblem } from './cron-expression.js';
import { refuse } from './rule.js';
import { lines } from './text.js';

const lengthMax = 256;

/**
 * A cron expression of exactly five fields, with names, ranges, lists and steps. Macros such as `@daily`,
 * seconds, `L`, `#` and `?` are not accepted (decision 25).
 */
export const cronSchedule = lines(lengthMax).superRefine((schedule, ctx) => {
  const problem = schedule.length > lengthMax ? undefined : cronProblem(schedule);
  if (problem !== undefined) refuse(ctx, [], 'invalid_format', problem);
});
