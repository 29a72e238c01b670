import { tellOfAllRefusals } from '../../changes/refusals/refusal-rows.js';
import type { UpkeepJob } from './upkeep-job.js';

/** What was refused again and again is told together when its hour is over. */
export const tellOfRefusalsJob: UpkeepJob = {
  name: 'tell of refusals',
  everyMs: 60_000,
  run: ({ db, now }) => tellOfAllRefusals(db, now()),
};
