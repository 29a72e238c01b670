// Checks the rules between resources of the demo, as the API does.
import type { Prisma } from '../database/client/client.js';
import type { Problem } from '../errors.js';
import { brokenRegions } from '../resources/configuration/region-rules.js';
import type { Located } from '../resources/configuration/region-rules.js';
import { brokenAttachments } from '../resources/volumes/attachment-rules.js';
import type { Attaching } from '../resources/volumes/attachment-rules.js';

interface Named {
  metadata: { name: string };
}

/** @throws if a resource is in a region that its account cannot use, or that lacks the feature. */
export async function requireRegions(
  tx: Prisma.TransactionClient,
  workspaceId: string,
  things: (Named & Located)[],
  feature?: 'egress',
): Promise<void> {
  const found = await brokenRegions(tx, workspaceId, things, feature);
  requireNone(found.map(({ thing, broken }) => ({ name: thing.metadata.name, broken })));
}

/**
 * @throws if a resource attaches a volume that does not exist or is in another region, or is itself in an invalid
 *   region.
 */
export async function requireWorkloads(
  tx: Prisma.TransactionClient,
  workspaceId: string,
  workloads: (Named & Located & Attaching)[],
): Promise<void> {
  await requireRegions(tx, workspaceId, workloads);
  const found = await brokenAttachments(tx, workspaceId, workloads);
  requireNone(found.map(({ workload, broken }) => ({ name: workload.metadata.name, broken })));
}

function requireNone(checked: { name: string; broken: Problem[] }[]): void {
  const lines = checked.flatMap(({ name, broken }) => broken.map(({ message }) => `${name}: ${message}`));
  if (lines.length > 0) throw new Error(`The demo breaks a rule.\n${lines.join('\n')}`);
}
