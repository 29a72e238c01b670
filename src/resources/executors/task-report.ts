import { z } from 'zod';
import { taskCondition } from '../jobs/execution.js';

/** Fields of a task report other than the state. */
export const taskReport = z.object({
  conditions: z
    .array(taskCondition)
    .max(10, 'must be at most 10 items')
    .optional()
    .meta({ description: 'Conditions of a task, added to those reported before (at most 10).' }),
});
