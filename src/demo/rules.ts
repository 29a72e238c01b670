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

/** @throws when one of them is in a region that its account may not use, or that lacks the feature. */
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
 * @throws when one of them attaches a volume that is not there, or is in another region, or is itself in a wrong one.
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
