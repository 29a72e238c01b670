// Executors claim assignments, report on them, and release them.
import { z } from 'zod';
import { authorizeExecutor } from '../../auth/authorize.js';
import type { AuthorizedExecutor } from '../../auth/authorize.js';
import { runInTransaction } from '../../auth/run-in-transaction.js';
import { invalidInput } from '../../errors.js';
import { problemAt, refusal } from '../../schema/problem.js';
import { readInput } from '../../schema/shape-value.js';
import { lines, shownText, undisguised } from '../../schema/text.js';
import type { Claimed } from '../../lifecycle/assignment.js';
import { claimDue, lookForWork, noteSeen } from '../../lifecycle/claim.js';
import type { CurrentClaim } from '../../lifecycle/claim.js';
import { deploymentStates, isDeploymentState } from '../../lifecycle/deployment-states.js';
import type { DeploymentState } from '../../lifecycle/deployment-states.js';
import { isTaskState, taskStates } from '../../lifecycle/execution-states.js';
import type { TaskState } from '../../lifecycle/execution-states.js';
import { beginExecutions } from '../../lifecycle/execution-times.js';
import { takeInvocationReport } from '../../lifecycle/invocation-report.js';
import { recordHeartbeat } from '../../lifecycle/silent-executor.js';
import type { WorkContext } from '../../lifecycle/work-subscribers.js';
import { release, reportedBy, takeReport } from '../../lifecycle/report.js';
import type { Reported } from '../../lifecycle/report.js';
import { takeTaskReport } from '../../lifecycle/task-report.js';
import type { ReportedTask } from '../../lifecycle/task-report.js';
import { everyRegion, invocationKind, isAssignmentKind, taskKind } from '../../lifecycle/work-kinds.js';
import { handedOut } from './desired.js';
import type { Handed } from './desired.js';
import { following, requireAddress } from './following.js';
import { taskReport } from './task-report.js';

/** Limits of a claim. */
export const claimBounds = {
  firstMax: 100,
  leaseSecondsMin: 5,
  leaseSecondsMax: 3_600,
  leaseSecondsDefault: 60,
  waitSecondsMax: 30,
  heldMax: 1_000,
  delaySecondsMax: 600,
} as const;

interface WhichClaim {
  /** The id from the claim. */
  id: string;
  fence: number;
}

export interface ClaimInput {
  first: number;
  leaseSeconds?: number | null | undefined;
  waitSeconds?: number | null | undefined;
  /** The claims that the executor still works on. */
  leases?: readonly WhichClaim[] | null | undefined;
}

export interface Claims {
  assignments: Handed[];
  /** Ids from `leases` whose lease is lost. */
  lost: string[];
  /** Ids from `leases` that the executor must stop, and then report. */
  stopping: string[];
}

/**
 * Claims due assignments of the executor's regions and kinds. The kind and region whose oldest assignment has waited longest
 * come first, with their assignments in this order. If none is due, waits until one is, or until the executor loses one of its
 * claims. The executor is authenticated again after each wait.
 *
 * @throws 400 `invalid_input`; 403 if the caller is not an executor; 401 or 403 if it has lost access while it waited.
 */
export async function claimAssignments(ctx: WorkContext, input: ClaimInput): Promise<Claims> {
  let authorized = authorizeExecutor(ctx);
  const { first, leaseSeconds, waitSeconds } = claimRequest(input);
  const leases = (input.leases ?? []).map(({ id, fence }) => whichOf(id, fence));
  const { workSubscribers } = ctx;
  const until = performance.now() + waitSeconds * 1_000;
  const waiting = workSubscribers.take(({ kind, region }) => mayClaim(authorized, kind, region));
  try {
    if (waitSeconds > 0) await noteSeen(authorized, waitSeconds);
    else await recordHeartbeat(ctx, authorized);
    const staying = waitSeconds > 0 ? ctx.stayFor(waitSeconds * 1_000) : undefined;
    for (;;) {
      const { lanes, lost, stopping } = await lookForWork(authorized, leases);
      const claims = await claimFrom(authorized, lanes, { first, leaseSeconds });
      await begin(authorized, claims);
      const assignments = await handedOut(authorized.db, ctx.encryption, claims);
      const leftMs = until - performance.now();
      const isOver = leftMs <= 0 || workSubscribers.isClosed() || staying?.isGone() === true;
      if (isOver || assignments.length + lost.length + stopping.length > 0) return { assignments, lost, stopping };
      await waiting.wait(leftMs);
      await ctx.renew();
      authorized = authorizeExecutor(ctx);
      // A disconnected executor must not claim anything.
      if (staying?.isGone() === true) return { assignments: [], lost: [], stopping: [] };
    }
  } finally {
    waiting.leave();
  }
}

/** An execution can start when one of its tasks is claimed. */
async function begin(authorized: AuthorizedExecutor, claims: readonly Claimed[]): Promise<void> {
  const reporter = reportedBy(authorized);
  const ofTasks = claims.filter(({ kind }) => kind === taskKind);
  if (ofTasks.length > 0) {
    await runInTransaction(authorized, false, ({ db }) => beginExecutions(db, reporter, ofTasks));
  }
}

async function claimFrom(
  authorized: AuthorizedExecutor,
  lanes: Awaited<ReturnType<typeof lookForWork>>['lanes'],
  { first, leaseSeconds }: { first: number; leaseSeconds: number },
): Promise<Claimed[]> {
  const claims: Claimed[] = [];
  for (const lane of lanes) {
    if (claims.length >= first) break;
    claims.push(...(await claimDue(authorized, lane, { first: first - claims.length, leaseSeconds })));
  }
  return claims;
}

function mayClaim({ executor }: AuthorizedExecutor, kind: string, region: string): boolean {
  return executor.kinds.includes(kind) && (executor.regions.includes(everyRegion) || executor.regions.includes(region));
}

export interface ReportInput extends WhichClaim {
  state?: DeploymentState | TaskState | null | undefined;
  conditions?: readonly unknown[] | null | undefined;
  message?: string | null | undefined;
  revision?: string | null | undefined;
  image?: string | null | undefined;
  address?: string | null | undefined;
  logsUrl?: string | null | undefined;
  instances?: number | null | undefined;
  leaseSeconds?: number | null | undefined;
}

/**
 * Records the report of an executor on an assignment that it has leased, and extends the lease. Repeating a report has
 * no effect.
 *
 * @throws 400 `invalid_input`; 403; 409 `lease_lost`, or `conflict` for a state that cannot follow.
 */
export async function reportAssignment(
  ctx: WorkContext,
  { id, fence, state: reported, leaseSeconds, ...result }: ReportInput,
): Promise<Reported | ReportedTask> {
  const authorized = authorizeExecutor(ctx);
  await recordHeartbeat(ctx, authorized);
  const { kind, ...claim } = whichOf(id, fence);
  const which = { ...claim, ...reportRequest(result), leaseSeconds: leaseOf(leaseSeconds) };
  const state = reported ?? undefined;
  if (kind === taskKind || kind === invocationKind) {
    if (state !== undefined && !isTaskState(state)) throw invalidInput([wrongState(Object.keys(taskStates))]);
    const report = { ...which, state };
    return kind === taskKind ? takeTaskReport(authorized, report) : takeInvocationReport(authorized, report);
  }
  if (state !== undefined && !isDeploymentState(state)) throw invalidInput([wrongState(Object.keys(deploymentStates))]);
  const report = { ...which, kind, state };
  requireAddress(report);
  return takeReport(authorized, report, following);
}

function wrongState(states: string[]) {
  return problemAt(['state'], 'invalid_value', `must be one of: ${states.join(', ')}`);
}

/**
 * Gives an assignment back.
 *
 * @throws 400 `invalid_input`; 403; 409 `lease_lost`.
 */
export async function releaseAssignment(
  ctx: WorkContext,
  { id, fence, delaySeconds }: WhichClaim & { delaySeconds?: number | null | undefined },
): Promise<void> {
  const authorized = authorizeExecutor(ctx);
  const delay = bounded('delaySeconds', delaySeconds ?? 0, 0, claimBounds.delaySecondsMax);
  await release(authorized, { ...whichOf(id, fence), delaySeconds: delay });
}

function claimRequest({ first, leaseSeconds, waitSeconds, leases }: ClaimInput) {
  if ((leases?.length ?? 0) > claimBounds.heldMax) {
    throw invalidInput([problemAt(['leases'], 'too_long', `must be at most ${claimBounds.heldMax} items`)]);
  }
  return {
    first: bounded('first', first, 1, claimBounds.firstMax),
    leaseSeconds: leaseOf(leaseSeconds),
    waitSeconds: bounded('waitSeconds', waitSeconds ?? 0, 0, claimBounds.waitSecondsMax),
  };
}

/** A URL that a browser can open safely, which excludes javascript: and data: URLs. */
const webUrl = shownText(2_048).refine(
  (url) => /^https?:\/\/\S+$/i.test(url) && URL.canParse(url),
  refusal('invalid_format', 'must be a URL that starts with http:// or https://'),
);

/** How many instances a report can count. */
export const instancesMax = 1_000_000;

const reportedResult = z.object({
  message: lines(1_024).optional(),
  revision: shownText(255).optional(),
  image: shownText(1_024).optional(),
  address: shownText(2_048).optional(),
  logsUrl: webUrl.optional(),
  instances: z.int().min(0).max(instancesMax).optional(),
});

const assignmentReport = reportedResult.extend(taskReport.shape);

function reportRequest(input: object) {
  const { conditions = [], ...result } = readInput(assignmentReport, input);
  return { ...resultFrom(result), conditions: conditions.map(withShownMessage) };
}

/** The result of a deployment in a report. @throws 400 `invalid_input` */
export function readResult(input: object) {
  return resultFrom(readInput(reportedResult, input));
}

function resultFrom({ message, revision, image, address, logsUrl, instances }: z.output<typeof reportedResult>) {
  return { ...withShownMessage({ message }), revision, image, address, logsUrl, instances };
}

function withShownMessage<Said extends { message?: string | undefined }>(said: Said): Said {
  return said.message === undefined ? said : { ...said, message: undisguised(said.message) };
}

function leaseOf(seconds: number | null | undefined): number {
  const { leaseSecondsDefault, leaseSecondsMin, leaseSecondsMax } = claimBounds;
  return bounded('leaseSeconds', seconds ?? leaseSecondsDefault, leaseSecondsMin, leaseSecondsMax);
}

function bounded(field: string, value: number, least: number, most: number): number {
  if (value < least)
    throw invalidInput([problemAt([field], 'too_small', `must be at least ${least}`, { limit: least, actual: value })]);
  if (value > most)
    throw invalidInput([problemAt([field], 'too_large', `must be at most ${most}`, { limit: most, actual: value })]);
  return value;
}

/** @throws 400 `invalid_input` for an invalid assignment id or fencing number. */
function whichOf(id: string, fence: number): CurrentClaim {
  const [, word = '', uuid = ''] = /^([a-z_]{3,20})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(id) ?? [];
  const kind = word.toUpperCase();
  if (!isAssignmentKind(kind)) {
    throw invalidInput([problemAt(['id'], 'invalid_format', 'must be the id of an assignment')]);
  }
  if (!Number.isSafeInteger(fence) || fence < 0) {
    throw invalidInput([problemAt(['fence'], 'invalid_value', 'must be the fence of a claim')]);
  }
  return { id: uuid, kind, fence };
}
