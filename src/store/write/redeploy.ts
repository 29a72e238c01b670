// Deploys a resource again without a change of its specification.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { recordChanges } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { ApiError } from '../../errors.js';
import { deploymentWork } from '../../lifecycle/deployment-states.js';
import type { Resource } from '../read/resource.js';
import { runInTransaction } from '../../auth/run-in-transaction.js';
import { lockResource, withRecordedEvent, withReports } from './change.js';
import { assignWork, finalStatusOf, noteDeployed, workOf } from './resource-work.js';
import { updateRow } from './rows.js';
import type { WhichResource, Writable, WritableRow } from './writable.js';

/**
 * Deploys a resource again, whatever its status is. Its executor gets a new assignment, and another one in progress ends.
 * Without an executor, the resource is deployed immediately. The version stays, because no caller changed the resource.
 *
 * @throws 404; 409 `version_mismatch`; 409 `conflict` if the resource is disabled or is being deleted.
 */
export async function redeployResource<Row extends WritableRow>(
  authorized: AuthorizedWorkspace,
  writable: Writable<Row>,
  which: WhichResource,
): Promise<Resource<Row>> {
  const { kind } = writable;
  return runInTransaction(authorized, which.validateOnly, async (within) => {
    const { resource: current, answer: isServed } = await lockResource(within, writable, which);
    const { id, row } = current;
    if (row.status === 'DELETING') {
      throw new ApiError('conflict', 'The resource is being deleted and can no longer be changed.');
    }
    if (finalStatusOf(row.spec) !== deploymentWork.deploy.ends) {
      throw new ApiError('conflict', `The ${kind.label} is disabled. Enable it to deploy it.`);
    }
    const work = workOf(writable);
    const status = isServed ? deploymentWork.deploy.begins : deploymentWork.deploy.ends;
    if (work === undefined || (!isServed && row.status === status)) return current;
    await updateRow(within.db, kind, { id, status });
    await assignWork(within, work, id, { wanted: isServed ? 'deploy' : 'unassign' });
    await noteDeployed(within, work, { ...row, status });
    const event = { type: 'deployment', status, message: `Redeployed by ${within.caller.principal.name}` };
    const { version, name } = row;
    const change: NewChange = {
      kind: kind.name,
      verb: 'status',
      resourceId: id,
      name,
      version,
      fields: ['status'],
      event,
    };
    await recordChanges(within, [change]);
    return withReports(within, which, withRecordedEvent(within, kind, current, { ...row, status }, change));
  });
}
