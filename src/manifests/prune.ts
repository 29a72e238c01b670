// Deletes resources that have a label in the workspaces of the documents but no document: all of them, or none if one
// cannot be deleted. The last created is deleted first, so that dependents go before their dependencies.
import { applyKindOf, applyKinds, hasLabels } from './apply-kind.js';
import type { ApplyKind } from './apply-kind.js';
import type { Outcome } from './apply.js';
import { remove } from './change-resources.js';
import { placesAbove, titleOf } from './document.js';
import type { Document } from './document.js';
import type { Gateway } from './gateway.js';
import { inParallel } from './in-parallel.js';
import { listAll, listBelow } from './read-resources.js';
import type { Resource } from './read-resources.js';
import { isMap } from './shape-document.js';

/** A deleted resource may exist until an executor has terminated it. This is the number and length of the waits. */
const triesMax = 30;
const takeDownMs = 500;

export interface PruneOptions {
  label: { key: string; value: string };
  workspaces: string[];
  /** Resources to keep. */
  documents: Document[];
  isDryRun: boolean;
  tell: (outcome: Outcome) => void;
  /** Called with the number of deletions before the first one. */
  plan: (count: number) => void;
  /** Aborted when the user interrupts. Nothing more is then deleted. */
  interrupted?: AbortSignal | undefined;
  /** Called with a note about the whole run. */
  remark: (sentence: string) => void;
}

/** Deletes labelled resources without a document, a VPC with its gateways and IPs. @throws {GatewayError} {@link RefusedError} */
export async function prune(gateway: Gateway, options: PruneOptions): Promise<void> {
  const { isDryRun, tell, remark, interrupted } = options;
  const planned = await plannedDeletions(gateway, options);
  options.plan(planned.flat().length);
  const tried: Outcome[] = [];
  const deletion = { planned, pending: isDryRun ? options.documents : [], interrupted };
  await deleteInOrder(gateway, { ...deletion, isDryRun: true, tell: (outcome) => tried.push(outcome) });
  if (interrupted?.aborted === true) return;
  const refused = tried.filter(({ action }) => action === 'refused');
  if (refused.length > 0) {
    for (const outcome of refused) tell(outcome);
    remark(`Nothing ${isDryRun ? 'would be' : 'was'} deleted, because a resource cannot be deleted.`);
  } else if (isDryRun) for (const outcome of tried) tell(outcome);
  else if (!(await deleteInOrder(gateway, { ...deletion, isDryRun: false, tell }))) {
    remark('A resource has changed since the deletions were checked. Resources after it were not deleted.');
  }
}

/** The resources to delete, in groups of one kind. */
async function plannedDeletions(gateway: Gateway, options: PruneOptions): Promise<Resource[][]> {
  const { documents } = options;
  const stays = new Set(documents.flatMap((document) => [titleOf(document), ...placesAbove(document)]));
  const planned: Resource[][] = [];
  for (const kind of applyKinds.toReversed()) {
    const unwanted = (await labelled(gateway, kind, options)).filter((each) => !stays.has(titleOf(each)));
    planned.push(...(await heldBy(gateway, unwanted)), unwanted);
  }
  return planned;
}

interface Deletion extends Pick<PruneOptions, 'isDryRun' | 'tell' | 'interrupted'> {
  planned: Resource[][];
  /** Documents that a dry run has not applied: what uses a resource follows from them. */
  pending: Document[];
}

/** Deletes groups of resources one after the other. @returns false if a group was the last, because of a refusal in it. */
async function deleteInOrder(gateway: Gateway, deletion: Deletion): Promise<boolean> {
  const { planned, pending, isDryRun, tell, interrupted } = deletion;
  /** Users that hold up no deletion: deleted ones, and pending ones, whose documents are checked instead. */
  const released = new Set(pending.map((document) => userTitle(document.kind.name, document)));
  for (const group of planned) {
    let refused = 0;
    const act = async (each: Resource) => {
      const user = pending.find((document) => attaches(document, each));
      return user === undefined ? removed(gateway, each, isDryRun, released) : inUse(each, user);
    };
    const done = (outcome: Outcome) => {
      if (outcome.action === 'refused') refused++;
      else released.add(userTitle(outcome.reference.kind.name, outcome.reference));
      tell(outcome);
    };
    await inParallel(group, act, done, interrupted);
    if (refused > 0 && !isDryRun) return false;
  }
  return true;
}

async function labelled(gateway: Gateway, kind: ApplyKind, { label, workspaces }: PruneOptions): Promise<Resource[]> {
  if (!hasLabels(kind)) return [];
  const lists = workspaces.map((workspace) => listAll(gateway, { kind, workspace, parents: [], label }));
  return (await Promise.all(lists)).flat();
}

/** The resources to delete before another one. Resources that a sandbox or job deletes by cascade are not included. */
async function heldBy(gateway: Gateway, holders: Resource[]): Promise<Resource[][]> {
  const vpcs = holders.filter(({ kind }) => kind.name === 'Vpc');
  const cascading = ['EgressIp', 'EgressGateway'].flatMap((name) => applyKindOf(name) ?? []);
  return Promise.all(
    cascading.map(async (kind) => {
      const lists = vpcs.map(({ workspace, name }) => listBelow(gateway, { kind, workspace, parents: [name] }));
      return (await Promise.all(lists)).flat();
    }),
  );
}

async function removed(
  gateway: Gateway,
  resource: Resource,
  isDryRun: boolean,
  released: ReadonlySet<string>,
): Promise<Outcome> {
  for (let tries = 1; ; tries++) {
    const changed = await remove(gateway, resource, isDryRun);
    if ('resource' in changed || changed.refusal.code === 'not_found')
      return { action: 'deleted', reference: resource };
    const { usedBy, usedByCount, problems } = changed.refusal;
    // The error lists only the first users. The others may be resources that stay.
    const isUsedNoMore =
      usedBy.length > 0 &&
      usedBy.length === usedByCount &&
      usedBy.every(({ kind, name }) => released.has(userTitle(kind, { ...resource, name })));
    if (isDryRun && isUsedNoMore) return { action: 'deleted', reference: resource };
    if (!isUsedNoMore || tries === triesMax) return { action: 'refused', reference: resource, problems };
    await gateway.pause(takeDownMs);
  }
}

/** Whether a resource uses a volume once its document is applied. */
function attaches({ workspace, spec }: Document, volume: Resource): boolean {
  const { volumes } = spec;
  if (volume.kind.name !== 'Volume' || workspace !== volume.workspace || !Array.isArray(volumes)) return false;
  return volumes.some((each) => isMap(each) && each['name'] === volume.name && each['type'] !== 'ephemeral');
}

/** The outcome of a deletion that the gateway will refuse with `in_use`. */
function inUse(resource: Resource, user: Document): Outcome {
  const [used, by] = [resource, user].map(({ kind, name }) => `${kind.name.toLowerCase()} ${JSON.stringify(name)}`);
  return {
    action: 'refused',
    reference: resource,
    problems: [{ path: [], message: `The ${used} is in use by the ${by}.` }],
  };
}

/** A user of a resource in the details of `in_use`. */
function userTitle(kind: string, { workspace, name }: Pick<Resource, 'workspace' | 'name'>): string {
  return `${kind.replaceAll('_', '').toLowerCase()} ${workspace}/${name}`;
}
