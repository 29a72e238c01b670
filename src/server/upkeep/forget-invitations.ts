import { forgetInvitations } from '../../auth/grants/housekeeping.js';
import type { UpkeepJob } from './upkeep-job.js';

/** Invitations that somebody decided on a while ago, or that came to nothing. */
export const forgetInvitationsJob: UpkeepJob = {
  name: 'forget invitations that are over',
  everyMs: 10 * 60_000,
  run: ({ db, now }) => forgetInvitations(db, now()),
};
