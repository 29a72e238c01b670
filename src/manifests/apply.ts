// Applies documents: creates or updates their resources, ordered by kind, so that dependencies exist first.
import type { z } from 'zod';
import { quoted } from '../errors.js';
import { applyKinds } from './apply-kind.js';
import { createFrom, updateFrom } from './change-resources.js';
import type { Changed, Refusal } from './change-resources.js';
import { differencesOf } from './difference.js';
import type { Difference } from './difference.js';
import { placesAbove, titleOf } from './document.js';
import type { Reference, Document, Place } from './document.js';
import { RefusedError } from './gateway-errors.js';
import type { Gateway } from './gateway.js';
import { inParallel } from './in-parallel.js';
import { readResource, readResources } from './read-resources.js';
import type { Resource } from './read-resources.js';
import type { Values } from './shape-document.js';
import { immutableDifferences, withDefaults, withFilledIn } from './shape-graphql.js';

/** The outcome of a document, or of a pruned resource; in a dry run, the expected outcome. */
export interface Outcome {
  action: 'created' | 'updated' | 'unchanged' | 'deleted' | 'refused';
  reference: Reference;
  position?: Place;
  changes?: Difference[];
  /** The error. */
  problems?: { path: (string | number)[]; message: string; line?: number }[];
  /** A note. */
  note?: string;
  /** Set in a dry run when the gateway could not check it, because something that it needs does not exist yet. */
  isUnchecked?: true;
}

export interface ApplyOptions {
  /** Whether this is a dry run, which changes nothing. */
  isDryRun: boolean;
  /** Whether new resources keep the `createdAt` and `createdBy` of their documents. Only an admin of the platform can. */
  keepsOrigin?: boolean | undefined;
  /** Called with the outcomes in the order of the documents of a kind, each as soon as it is known. */
  tell: (outcome: Outcome) => void;
  /** Aborted when the user interrupts. No further document is then started. */
  interrupted?: AbortSignal | undefined;
}

/** Other processes of the gateway know a new workspace within half of this (ms; decision 74). */
const newWorkspaceMs = 1_000;

/** The maximum number of attempts after concurrent changes. */
const triesMax = 3;

/** Applies documents. A rejected document does not stop the others. @throws {GatewayError} */
export async function applyDocuments(gateway: Gateway, documents: Document[], options: ApplyOptions): Promise<void> {
  /** In a dry run, the resources that would be created. */
  const toBeMade = new Set<string>();
  for (const kind of applyKinds) {
    if (options.interrupted?.aborted === true) return;
    const ofKind = documents.filter((document) => document.kind === kind);
    const read = await readResources(
      gateway,
      kind,
      ofKind.filter((document) => missingPlace(document, toBeMade) === undefined),
    );
    let created = 0;
    const act = (document: Document) => outcomeOf(gateway, document, read, options, toBeMade);
    const done = (outcome: Outcome) => {
      if (outcome.action === 'created') {
        created++;
        if (options.isDryRun) toBeMade.add(titleOf(outcome.reference));
      }
      options.tell(outcome);
    };
    await inParallel(ofKind, act, done, options.interrupted);
    if (kind.isFlat && created > 0 && !options.isDryRun) await gateway.pause(newWorkspaceMs);
  }
}

async function outcomeOf(
  gateway: Gateway,
  document: Document,
  read: ReadonlyMap<string, Resource | undefined>,
  options: Pick<ApplyOptions, 'isDryRun' | 'keepsOrigin'>,
  toBeMade: ReadonlySet<string>,
): Promise<Outcome> {
  const at = { reference: document, position: document.position };
  const title = titleOf(document);
  const missing = missingPlace(document, toBeMade);
  if (missing !== undefined) return { ...at, action: 'created', ...uncheckedBefore(missing) };
  try {
    for (let tries = 1; ; tries++) {
      const current = tries === 1 && read.has(title) ? read.get(title) : await readResource(gateway, document);
      const fixed = current === undefined ? [] : immutableProblems(document, current);
      if (fixed.length > 0) return { ...at, action: 'refused', problems: fixed };
      if (current !== undefined && isAlready(document, current)) return { ...at, action: 'unchanged' };
      const changed =
        current === undefined
          ? await createFrom(gateway, document, options)
          : await updateFrom(gateway, document, current, options.isDryRun);
      if ('resource' in changed) return { ...at, ...change(current, changed.resource) };
      if (isOvertaken(changed.refusal, current) && tries < triesMax) continue;
      return { ...at, ...refusalOrNote(document, current, changed, toBeMade) };
    }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { ...at, action: 'refused', problems: [{ path: [], message: error.message }] };
  }
}

/** The parent of a document that does not exist yet in a dry run. */
function missingPlace(document: Document, toBeMade: ReadonlySet<string>): string | undefined {
  return placesAbove(document).find((title) => toBeMade.has(title));
}

function immutableProblems({ kind, metadata, spec }: Document, current: Resource): Outcome['problems'] & object {
  const parts = [
    { part: 'metadata', fixed: immutableDifferences(kind.metadata, metadata, current.metadata) },
    { part: 'spec', fixed: kind.spec === undefined ? [] : immutableDifferences(kind.spec, spec, current.spec) },
  ];
  return parts.flatMap(({ part, fixed }) =>
    fixed.map(({ name, is }) => ({
      path: [part, name],
      message: `${part}.${name} is immutable (currently ${is === null ? 'not set' : quoted(is)})`,
    })),
  );
}

/**
 * Whether an update would change nothing. Only the gateway can compare secrets, and values that it sets or normalizes.
 */
function isAlready({ kind, metadata, spec }: Document, current: Resource): boolean {
  const desiredOf = (shape: z.ZodObject, values: Values, before: Values) =>
    withDefaults(shape, withFilledIn(shape, values, before));
  const desired = {
    metadata: desiredOf(kind.metadata, metadata, current.metadata),
    spec: kind.spec === undefined ? {} : desiredOf(kind.spec, spec, current.spec),
  };
  return differencesBetween(current, desired).length === 0;
}

/** The gateway determines whether anything changed: an update without changes keeps the version. */
function change(current: Resource | undefined, now: Resource): Pick<Outcome, 'action' | 'changes' | 'note'> {
  if (current === undefined) return { action: 'created' };
  if (current.version === now.version) return { action: 'unchanged' };
  const changes = differencesBetween(current, now);
  return { action: 'updated', changes, ...(changes.length === 0 ? { note: 'values of secret variables' } : {}) };
}

function differencesBetween(before: Pick<Resource, 'metadata' | 'spec'>, after: typeof before): Difference[] {
  const parts = ({ metadata, spec }: typeof before) => ({ metadata, spec });
  return differencesOf(parts(before), parts(after));
}

function isOvertaken({ code }: Refusal, current: Resource | undefined): boolean {
  return current === undefined ? code === 'name_taken' : code === 'version_mismatch' || code === 'not_found';
}

/** In a dry run, a missing volume may be one that would be created before. */
function refusalOrNote(
  document: Document,
  current: Resource | undefined,
  { refusal }: Extract<Changed, { refusal: Refusal }>,
  toBeMade: ReadonlySet<string>,
): Omit<Outcome, 'reference' | 'place'> {
  const waits = refusal.problems.map(({ path }) => volumeAt(document, path));
  const awaited = waits.find((title) => title !== undefined && toBeMade.has(title));
  if (awaited !== undefined && waits.every((title) => title !== undefined && toBeMade.has(title))) {
    const unchecked = uncheckedBefore(awaited);
    return current === undefined
      ? { action: 'created', ...unchecked }
      : { action: 'updated', ...unchecked, changes: differencesBetween(current, document) };
  }
  return { action: 'refused', problems: refusal.problems };
}

function uncheckedBefore(title: string): Pick<Outcome, 'note' | 'isUnchecked'> {
  return { note: `not checked until ${title} is created`, isUnchecked: true };
}

/** The volume of a path such as `spec.volumes.0.name`. */
function volumeAt({ spec, workspace }: Document, [part, field, index, name]: string[]): string | undefined {
  const { volumes } = spec;
  if (part !== 'spec' || field !== 'volumes' || name !== 'name' || !Array.isArray(volumes)) return undefined;
  const volume = volumes[Number(index)];
  if (volume === null || typeof volume !== 'object' || Array.isArray(volume)) return undefined;
  return `Volume ${workspace}/${String(volume['name'])}`;
}
