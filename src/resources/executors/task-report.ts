import { z } from 'zod';
import { taskCondition } from '../jobs/execution.js';

/** What is reported of a task beside its state. */
export const taskReport = z.object({
  conditions: z
    .array(taskCondition)
    .max(10, 'must be at most 10 items')
    .optional()
    .meta({ description: 'Conditions of a task, added to those reported before (at most 10).' }),
});
