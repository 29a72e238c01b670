// What carries a label in the workspaces of the documents, and is in none of them any more, is removed: last made,
// first gone, so that nothing goes before what needs it.
import { applyKindOf, applyKinds, hasLabels } from './apply-kind.js';
import type { ApplyKind } from './apply-kind.js';
import type { Outcome } from './apply.js';
import { remove } from './change-resources.js';
import { placesAbove, titleOf } from './document.js';
import type { Document } from './document.js';
import type { Gateway } from './gateway.js';
import { inParallel } from './in-parallel.js';
import { listAll } from './read-resources.js';
import type { Resource } from './read-resources.js';

/** What was deleted may be there until an executor has taken it down: so often, and each time so long, is waited for that. */
const triesMax = 30;
const takeDownMs = 500;

export interface PruneOptions {
  label: { key: string; value: string };
  workspaces: string[];
  /** What stays. */
  documents: Document[];
  isDryRun: boolean;
  tell: (outcome: Outcome) => void;
}

/** Removes what carries the label and is in no document, a VPC with its gateways and IPs. @throws {GatewayError} */
export async function prune(gateway: Gateway, options: PruneOptions): Promise<void> {
  const { documents, isDryRun, tell } = options;
  const stays = new Set(documents.flatMap((document) => [titleOf(document), ...placesAbove(document)]));
  /** In a dry run, what would be gone already. */
  const gone = new Set<string>();
  for (const kind of applyKinds.toReversed()) {
    const unwanted = (await labelled(gateway, kind, options)).filter((each) => !stays.has(titleOf(each)));
    for (const within of [...(await heldBy(gateway, unwanted)), unwanted]) {
      const act = (each: Resource) => removed(gateway, each, isDryRun, gone);
      await inParallel(within, act, (outcome) => {
        if (outcome.action === 'deleted') gone.add(userTitle(outcome.address.kind.name, outcome.address));
        tell(outcome);
      });
    }
  }
}

async function labelled(gateway: Gateway, kind: ApplyKind, { label, workspaces }: PruneOptions): Promise<Resource[]> {
  if (!hasLabels(kind)) return [];
  const lists = workspaces.map((workspace) => listAll(gateway, { kind, workspace, parents: [], label }));
  return (await Promise.all(lists)).flat();
}

/** What has to go before something can: what goes with a sandbox or a job by itself is not part of it. */
async function heldBy(gateway: Gateway, holders: Resource[]): Promise<Resource[][]> {
  const vpcs = holders.filter(({ kind }) => kind.name === 'Vpc');
  const held = ['EgressIp', 'EgressGateway'].flatMap((name) => applyKindOf(name) ?? []);
  return Promise.all(
    held.map(async (kind) => {
      const lists = vpcs.map(({ workspace, name }) => listAll(gateway, { kind, workspace, parents: [name] }));
      return (await Promise.all(lists)).flat();
    }),
  );
}

async function removed(
  gateway: Gateway,
  resource: Resource,
  isDryRun: boolean,
  gone: ReadonlySet<string>,
): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    const changed = await remove(gateway, resource, isDryRun);
    if ('resource' in changed || changed.refusal.code === 'not_found') return { action: 'deleted', address: resource };
    const { usedBy, problems } = changed.refusal;
    const isUsedNoMore =
      usedBy.length > 0 && usedBy.every(({ kind, name }) => gone.has(userTitle(kind, { ...resource, name })));
    if (isDryRun && isUsedNoMore) return { action: 'deleted', address: resource };
    if (!isUsedNoMore || tries === triesMax) return { action: 'refused', address: resource, problems };
    await gateway.pause(takeDownMs);
  }
}

/** A user of something as `in_use` tells of it, in a workspace. */
function userTitle(kind: string, { workspace, name }: Pick<Resource, 'workspace' | 'name'>): string {
  return `${kind.replaceAll('_', '').toLowerCase()} ${workspace}/${name}`;
}
