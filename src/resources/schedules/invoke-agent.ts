import { Prisma } from '../../database/client/client.js';
import { findJson } from '../../database/read-json.js';
import type { Statements } from '../../database/transaction.js';
import { assignInvocation, invocationName, recordInvocation } from '../../lifecycle/invocation-steps.js';
import type { AgentSpec } from '../agents/agent-spec.js';
import { advanceSchedule } from './claimed-schedule.js';
import type { DueSchedule, Making } from './claimed-schedule.js';

interface ScheduledAgent {
  name: string;
  spec: AgentSpec;
  workspaceId: string;
  workspace: string;
  accountId: string;
}

/** Creates the invocation of an agent that is due. Does nothing if no executor can run it. */
export async function invokeAgent(db: Statements, { now }: Making, schedule: DueSchedule): Promise<void> {
  const { resourceId, trigger, scheduledAt } = schedule;
  const agent = await holdAgent(db, resourceId);
  // The agent was deleted, and its schedules with it.
  if (agent === undefined) return;
  const { spec, ...place } = agent;
  const { retry, timeout } = spec.triggers?.find(({ id }) => id === trigger)?.configuration ?? {};
  const newInvocation = {
    ...place,
    resourceId,
    trigger,
    scheduledAt,
    region: spec.region ?? null,
    retries: retry ?? 0,
    timeoutSeconds: timeout ?? null,
  };
  if (!(await advanceSchedule(db, schedule))) return;
  const id = await assignInvocation(db, newInvocation);
  if (id === '') return;
  const message = `Requested by the trigger ${trigger}, scheduled for ${scheduledAt}`;
  const invocation = { id, ...place, task: invocationName(newInvocation) };
  await recordInvocation(db, { now: now() }, invocation, { status: 'QUEUED', message, isNew: true });
}

/** Locks the agent until its invocation is created. */
async function holdAgent(db: Statements, id: string): Promise<ScheduledAgent | undefined> {
  return findJson(
    db,
    Prisma.sql`
      SELECT json_build_object('name', g."name", 'spec', g."spec", 'workspaceId', w."id", 'workspace', w."name",
        'accountId', w."account_id")::text
      FROM "workspace" AS w JOIN "agent" AS g ON g."workspace_id" = w."id" WHERE g."id" = ${id}::uuid
      FOR KEY SHARE OF w FOR SHARE OF g`,
  );
}
