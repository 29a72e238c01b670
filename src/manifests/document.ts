// A document: what one resource is meant to be, where it was read, and what it is called among all others.
import { applyKindOf, applyKinds, isInWorkspace } from './apply-kind.js';
import type { ApplyKind } from './apply-kind.js';
import { checkedFields, isMap } from './shape-document.js';
import type { DocumentProblem, Values } from './shape-document.js';

/** Which resource of all. */
export interface Address {
  kind: ApplyKind;
  /** The empty text for what is in no workspace. */
  workspace: string;
  /** Names of what it belongs to, outermost first. */
  parents: string[];
  name: string;
}

export interface Document extends Address {
  metadata: Values;
  spec: Values;
  place: Place;
}

/** Where a document stands. */
export interface Place {
  file: string;
  /** From 1. */
  document: number;
}

/** What an answer of the API has beside what can be written; a document may be one, and it is ignored. */
const readOnly = new Set(['status', 'events']);

/**
 * Reads one document.
 *
 * @param workspace where it is when the document does not say.
 * @returns all that is wrong with it, if anything is.
 */
export function readDocument(
  given: unknown,
  place: Place,
  workspace: string | undefined,
): { document: Document } | { problems: DocumentProblem[] } {
  const problems: DocumentProblem[] = [];
  const tell = (path: DocumentProblem['path'], message: string) => void problems.push({ path, message });
  if (!isMap(given)) {
    tell([], 'must be a map with kind, workspace, metadata and spec');
    return { problems };
  }
  const kind = typeof given['kind'] === 'string' ? exactKind(given['kind']) : undefined;
  if (kind === undefined) {
    tell(['kind'], `must be one of: ${applyKinds.map(({ name }) => name).join(', ')}`);
    return { problems };
  }
  refuseUnknown(kind, given, tell);
  const textOf = (field: string): string => {
    const value = given[field];
    if (typeof value !== 'string' || value === '')
      tell([field], value === undefined ? 'is required' : 'must be a string');
    return typeof value === 'string' ? value : '';
  };
  const isPlaced = isInWorkspace(kind);
  if (isPlaced && given['workspace'] === undefined && workspace === undefined) {
    tell(['workspace'], 'is required, here or as the option --workspace');
  }
  const metadata = checkedFields(kind.metadata, given['metadata'] ?? {}, ['metadata'], tell);
  const spec = kind.spec === undefined ? {} : checkedFields(kind.spec, given['spec'] ?? {}, ['spec'], tell);
  const document: Document = {
    kind,
    workspace: isPlaced ? (given['workspace'] === undefined ? (workspace ?? '') : textOf('workspace')) : '',
    parents: kind.parents.map(({ field }) => textOf(field)),
    name: String(metadata['name'] ?? ''),
    metadata,
    spec,
    place,
  };
  return problems.length === 0 ? { document } : { problems };
}

/** Documents are not guessed at: `agents` is the name of no kind. */
function exactKind(word: string): ApplyKind | undefined {
  const kind = applyKindOf(word);
  return kind?.name === word ? kind : undefined;
}

function refuseUnknown(
  kind: ApplyKind,
  given: Record<string, unknown>,
  tell: (path: DocumentProblem['path'], message: string) => void,
): void {
  const fields = [
    'kind',
    ...(isInWorkspace(kind) ? ['workspace'] : []),
    ...kind.parents.map(({ field }) => field),
    'metadata',
    ...(kind.spec === undefined ? [] : ['spec']),
  ];
  for (const name of Object.keys(given)) {
    if (!fields.includes(name) && !readOnly.has(name)) tell([name], `is not a field. Fields: ${fields.join(', ')}`);
  }
}

/** The same text for the same resource, and no other: `Vpc acme/edge`. */
export function titleOf({ kind, workspace, parents, name }: Address): string {
  return `${kind.name} ${[workspace, ...parents, name].filter((part) => part !== '').join('/')}`;
}

/** What a resource cannot be without: its workspace, and what it belongs to. */
export function placesAbove({ kind, workspace, parents }: Address): string[] {
  const above = kind.parents.map(
    (parent, depth) => `${parent.kind} ${[workspace, ...parents.slice(0, depth + 1)].join('/')}`,
  );
  return workspace === '' ? above : [`Workspace ${workspace}`, ...above];
}

/** The document of a resource, its fields in the order in which people read them. */
export function documentOf({ kind, workspace, parents }: Address, metadata: Values, spec: Values): Values {
  return {
    kind: kind.name,
    ...(isInWorkspace(kind) ? { workspace } : {}),
    ...Object.fromEntries(kind.parents.map(({ field }, depth) => [field, parents[depth] ?? ''])),
    metadata,
    ...(kind.spec === undefined ? {} : { spec }),
  };
}
