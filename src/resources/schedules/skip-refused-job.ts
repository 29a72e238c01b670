import { recordAsSystem } from '../../changes/record-as-system.js';
import { Prisma } from '../../database/client/client.js';
import { findJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { advanceSchedule } from './claimed-schedule.js';
import type { DueSchedule } from './claimed-schedule.js';

/**
 * Skips a scheduled execution that a quota or a budget refuses, and records why. Without it, the schedule would be tried
 * again until the limit is raised, and then run late.
 *
 * @param reason the message of the refusal.
 */
export async function skipRefusedJob(db: Statements, now: Date, schedule: DueSchedule, reason: string): Promise<void> {
  const { resourceId, scheduledAt } = schedule;
  const job = await findJson<{ name: string; workspaceId: string; accountId: string }>(
    db,
    Prisma.sql`
      SELECT json_build_object('name', j."name", 'workspaceId', w."id", 'accountId', w."account_id")::text
      FROM "workspace" AS w JOIN "job" AS j ON j."workspace_id" = w."id" WHERE j."id" = ${resourceId}::uuid
      FOR KEY SHARE OF w FOR SHARE OF j`,
  );
  if (job === undefined || !(await advanceSchedule(db, schedule))) return;
  const message = `The execution scheduled for ${scheduledAt} was not created. ${reason}`;
  const event = { type: 'schedule', status: 'DENIED', message };
  await recordAsSystem(db, job, now, [{ kind: 'JOB', verb: 'denied', resourceId, name: job.name, event }]);
}
