// The simulated data plane of the demo. It has only the address of the gateway and its key, and uses the HTTP API like
// the executor of a real platform (docs/executors.md).
import { setTimeout as pause } from 'node:timers/promises';
import { stepsOf } from './data-plane-steps.js';
import type { Meter } from './data-plane-meter.js';
import type { DemoAssignment } from './data-plane-steps.js';

export interface DataPlaneSettings {
  /** Address of the gateway. */
  origin: string;
  /** Key of the executor. */
  key: string;
  /** Called with each resource that starts or stops. */
  meter?: Meter | undefined;
  /** The speed of time: 0 for no pauses. */
  pace: number;
  signal: AbortSignal;
}

interface Answer {
  code?: string;
  stop?: boolean;
  assignments?: DemoAssignment[];
  lost?: string[];
  stopping?: string[];
}

const leaseSeconds = 30;
const atOnceMax = 50;
const againMs = 1_000;

/** Processes assignments until it is stopped. */
export async function runDataPlane(settings: DataPlaneSettings): Promise<void> {
  const { signal } = settings;
  const running = new Map<string, { assignment: DemoAssignment; stop: AbortController }>();
  while (!signal.aborted) {
    try {
      const first = Math.min(20, atOnceMax - running.size);
      if (first < 1) {
        await pause(100, undefined, { signal });
        continue;
      }
      const leases = Array.from(running.values(), ({ assignment: { id, fence } }) => ({ id, fence }));
      const input = { first, leaseSeconds, waitSeconds: 20, leases };
      const claim = await mutate(settings, 'executorClaimAssignments', claimed, input);
      for (const id of [...(claim.lost ?? []), ...(claim.stopping ?? [])]) running.get(id)?.stop.abort();
      for (const assignment of claim.assignments ?? []) {
        const stop = new AbortController();
        running.set(assignment.id, { assignment, stop });
        void carryOut(settings, assignment, stop)
          .catch(() => {})
          .finally(() => running.delete(assignment.id));
      }
    } catch {
      // The gateway is temporarily unavailable. The work is claimed again when its lease expires.
      await pause(againMs, undefined, { signal }).catch(() => {});
    }
  }
}

const claimed = `
  assignments { id fence kind action version resourceId accountId workspaceName desired } lost stopping`;

async function carryOut(settings: DataPlaneSettings, assignment: DemoAssignment, stop: AbortController): Promise<void> {
  const { id, fence, action } = assignment;
  const signal = AbortSignal.any([settings.signal, stop.signal]);
  let since = Date.now();
  for (const { afterMs, ...stepReport } of stepsOf(assignment)) {
    await pause(afterMs * settings.pace, undefined, { signal }).catch(() => {});
    if (settings.signal.aborted) return;
    const isStopped = stop.signal.aborted && action === 'RUN';
    const report = isStopped ? { state: 'CANCELLED', message: 'Stopped on request' } : stepReport;
    if (report.state === 'RUNNING') since = Date.now();
    settings.meter?.note(assignment, report.state, since);
    const answer = await mutate(settings, 'executorReportAssignment', 'stop', { id, fence, leaseSeconds, ...report });
    if (answer.code !== undefined || isStopped) return;
    if (answer.stop === true) stop.abort();
  }
}

async function mutate(
  { origin, key, signal }: DataPlaneSettings,
  mutation: string,
  fields: string,
  input: object,
): Promise<Answer> {
  const type = mutation.charAt(0).toUpperCase() + mutation.slice(1);
  const query = `mutation ($input: ${type}Input!) { result: ${mutation}(input: $input) {
    __typename ... on Error { code } ... on ${type}Payload { ${fields} } } }`;
  const response = await fetch(`${origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query, variables: { input } }),
    signal,
  });
  const answer: { data?: { result: Answer } | null } = JSON.parse(await response.text());
  if (answer.data == null) throw new Error(`the gateway answered ${response.status}`);
  return answer.data.result;
}
