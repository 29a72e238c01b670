import type { Statements } from '../../database/transaction.js';
import { assignInvocation, invocationName, recordInvocation } from '../../lifecycle/invocation-steps.js';
import type { AgentSpec } from '../agents/agent-spec.js';
import { advanceSchedule } from './claimed-schedule.js';
import type { DueSchedule, Making } from './claimed-schedule.js';
import { holdScheduled } from './hold-scheduled.js';
import { recordSkipped, tooManyWait } from './record-skipped.js';

/** Creates the invocation of an agent that is due. Does nothing if no executor can run it, and records it if too many wait. */
export async function invokeAgent(db: Statements, { now }: Making, schedule: DueSchedule): Promise<void> {
  const { resourceId, trigger, scheduledAt } = schedule;
  const agent = await holdScheduled<AgentSpec>(db, 'agent', resourceId);
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
  const { id, isFull } = await assignInvocation(db, newInvocation);
  if (isFull) await recordSkipped(db, now(), 'AGENT', agent, schedule, tooManyWait('invocations'));
  if (id === null) return;
  const message = `Requested by the trigger ${trigger}, scheduled for ${scheduledAt}`;
  const invocation = { id, ...place, task: invocationName(newInvocation) };
  await recordInvocation(db, { now: now() }, invocation, { status: 'QUEUED', message, isNew: true });
}
