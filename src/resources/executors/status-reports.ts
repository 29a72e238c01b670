// Executors report what they observe of resources that they deployed before.
import { authorizeExecutor } from '../../auth/authorize.js';
import type { ObservedState } from '../../lifecycle/deployment-states.js';
import { recordHeartbeat } from '../../lifecycle/silent-executor.js';
import type { WorkContext } from '../../lifecycle/work-subscribers.js';
import { takeStatusReport } from '../../lifecycle/status-report.js';
import type { ReportedStatus } from '../../lifecycle/status-report.js';
import type { WorkKind } from '../../lifecycle/work-kinds.js';
import { invalidInput } from '../../errors.js';
import { problemAt } from '../../schema/problem.js';
import { readResult } from './assignments.js';
import { following, requireAddress } from './following.js';
import { regionsOfKinds } from './regions-of-kinds.js';

export interface StatusInput {
  kind: WorkKind;
  resourceId: string;
  /** The fence of the claim that led to the deployment; 0 if no executor deployed the resource. */
  generation: number;
  status: ObservedState;
  message?: string | null | undefined;
  instances?: number | null | undefined;
  revision?: string | null | undefined;
  image?: string | null | undefined;
  address?: string | null | undefined;
  logsUrl?: string | null | undefined;
}

/**
 * Records what an executor observes of a resource after its deployment. A repeated report adds no change record.
 *
 * @throws 400 `invalid_input`; 403; 404 `not_found` outside the kinds and regions of the executor, and after a deletion;
 * 409 `stale_generation`, or `conflict` while the assignment of the resource is in progress.
 */
export async function reportStatus(
  ctx: WorkContext,
  { kind, resourceId: givenId, generation, status: state, ...result }: StatusInput,
): Promise<ReportedStatus> {
  const authorized = authorizeExecutor(ctx);
  await recordHeartbeat(ctx, authorized);
  const resourceId = givenId.toLowerCase();
  const problems = [
    ...(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(resourceId)
      ? []
      : [problemAt(['resourceId'], 'invalid_format', 'must be the UUID of a resource')]),
    ...(Number.isSafeInteger(generation) && generation >= 0
      ? []
      : [problemAt(['generation'], 'invalid_value', 'must be a generation of the resource')]),
  ];
  if (problems.length > 0) throw invalidInput(problems);
  const report = { kind, resourceId, generation, state, ...readResult(result) };
  requireAddress(report);
  return takeStatusReport(authorized, report, { region: regionsOfKinds[kind], following });
}
