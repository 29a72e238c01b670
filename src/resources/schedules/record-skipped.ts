import { recordAsSystem } from '../../changes/record-as-system.js';
import type { Statements } from '../../database/transaction.js';
import { waitingMax } from '../../lifecycle/assign.js';
import { advanceSchedule } from './claimed-schedule.js';
import type { DueSchedule } from './claimed-schedule.js';
import { holdScheduled } from './hold-scheduled.js';
import type { Scheduled } from './hold-scheduled.js';

/**
 * Skips a scheduled execution that a quota or a budget refuses, and records why. Without it, the schedule would be tried
 * again until the limit is raised, and then run late.
 *
 * @param reason the message of the refusal.
 */
export async function skipRefusedJob(db: Statements, now: Date, schedule: DueSchedule, reason: string): Promise<void> {
  const job = await holdScheduled(db, 'job', schedule.resourceId);
  if (job !== undefined && (await advanceSchedule(db, schedule)))
    await recordSkipped(db, now, 'JOB', job, schedule, reason);
}

/** Why a scheduled time is skipped. */
export function tooManyWait(runs: 'executions' | 'invocations'): string {
  return `${waitingMax.toLocaleString('en')} ${runs} of its schedules wait, and none has begun.`;
}

/** Records that a scheduled time was skipped. @param reason a sentence. */
export async function recordSkipped(
  db: Statements,
  now: Date,
  kind: DueSchedule['kind'],
  { name, accountId, workspaceId }: Pick<Scheduled<unknown>, 'name' | 'accountId' | 'workspaceId'>,
  { resourceId, scheduledAt }: DueSchedule,
  reason: string,
): Promise<void> {
  const run = kind === 'JOB' ? 'execution' : 'invocation';
  const message = `The ${run} scheduled for ${scheduledAt} was not created. ${reason}`;
  const event = { type: 'schedule', status: 'DENIED', message };
  await recordAsSystem(db, { accountId, workspaceId }, now, [{ kind, verb: 'denied', resourceId, name, event }]);
}
