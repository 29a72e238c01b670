// A document: the desired state of one resource, its position in a file, and what it names.
import { cutText } from '../errors.js';
import { problemsMax } from '../input/limits.js';
import { applyKindOf, applyKinds, isInWorkspace, originFields } from './apply-kind.js';
import type { ApplyKind } from './apply-kind.js';
import { checkedFields, isMap, jsonValue } from './shape-document.js';
import type { DocumentProblem, Values } from './shape-document.js';

/** Names a resource. */
export interface Reference {
  kind: ApplyKind;
  /** Empty for resources outside of workspaces. */
  workspace: string;
  /** Names of the parents, outermost first. */
  parents: string[];
  name: string;
}

export interface Document extends Reference {
  metadata: Values;
  spec: Values;
  /** When the resource was created where the document comes from, and by whom, as far as it says so. */
  origin: Values;
  position: Place;
}

/** The position of a document. */
export interface Place {
  file: string;
  /** Starts at 1. */
  document: number;
}

/** Fields of an API response that documents cannot set. A document can be a response, so they are ignored. */
const readOnly = new Set(['status', 'observed', 'events']);

/**
 * Reads one document.
 *
 * @param workspace the default workspace.
 * @returns all problems, if there are any.
 */
export function readDocument(
  input: unknown,
  position: Place,
  workspace: string | undefined,
): { document: Document } | { problems: DocumentProblem[] } {
  const problems: DocumentProblem[] = [];
  const tell = (path: DocumentProblem['path'], message: string) => {
    if (problems.length < problemsMax) problems.push({ path: path.map(shortName), message });
  };
  if (!isMap(input)) {
    tell([], 'must be a map with kind, workspace, metadata and spec');
    return { problems };
  }
  const kind = typeof input['kind'] === 'string' ? applyKindOf(input['kind']) : undefined;
  if (kind === undefined) {
    tell(['kind'], `must be one of: ${applyKinds.map(({ name }) => name).join(', ')}`);
    return { problems };
  }
  refuseUnknown(kind, input, tell);
  const textOf = (field: string): string => {
    const value = input[field];
    if (typeof value !== 'string' || value === '')
      tell([field], value === undefined ? 'is required' : 'must be a string');
    return typeof value === 'string' ? value : '';
  };
  const isPlaced = isInWorkspace(kind);
  if (isPlaced && input['workspace'] === undefined && workspace === undefined) {
    tell(['workspace'], 'is required, here or as the option --workspace');
  }
  const metadata = checkedFields(kind.metadata, input['metadata'] ?? {}, ['metadata'], tell);
  const spec = kind.spec === undefined ? {} : checkedFields(kind.spec, input['spec'] ?? {}, ['spec'], tell);
  const document: Document = {
    kind,
    workspace: isPlaced ? (input['workspace'] === undefined ? (workspace ?? '') : textOf('workspace')) : '',
    parents: kind.parents.map(({ field }) => textOf(field)),
    name: String(metadata['name'] ?? ''),
    metadata,
    spec,
    origin: originIn(kind, input['metadata']),
    position,
  };
  return problems.length === 0 ? { document } : { problems };
}

/** The fields of metadata that tell of the creation of a resource, unchecked: the gateway checks those that it keeps. */
export function originIn(kind: ApplyKind, metadata: unknown): Values {
  const given = isMap(metadata) ? metadata : {};
  return Object.fromEntries(
    originFields(kind).flatMap((name) => (given[name] == null ? [] : [[name, jsonValue(given[name])]])),
  );
}

const nameLengthMax = 100;

/** A step of a path, cut where it is too long to print. */
export function shortName<Step extends string | number>(step: Step): Step | string {
  return typeof step === 'string' ? cutText(step, nameLengthMax) : step;
}

function refuseUnknown(
  kind: ApplyKind,
  values: Record<string, unknown>,
  tell: (path: DocumentProblem['path'], message: string) => void,
): void {
  const fields = [
    'kind',
    ...(isInWorkspace(kind) ? ['workspace'] : []),
    ...kind.parents.map(({ field }) => field),
    'metadata',
    ...(kind.spec === undefined ? [] : ['spec']),
  ];
  for (const name of Object.keys(values)) {
    if (!fields.includes(name) && !readOnly.has(name)) tell([name], `is not a field. Fields: ${fields.join(', ')}`);
  }
}

/** A unique text for a resource: `Vpc acme/edge`. */
export function titleOf({ kind, workspace, parents, name }: Reference): string {
  return `${kind.name} ${[workspace, ...parents, name].filter((part) => part !== '').join('/')}`;
}

/** The references that a resource depends on: its workspace and parents. */
export function placesAbove({ kind, workspace, parents }: Reference): string[] {
  const above = kind.parents.map(
    (parent, depth) => `${parent.kind} ${[workspace, ...parents.slice(0, depth + 1)].join('/')}`,
  );
  return workspace === '' ? above : [`Workspace ${workspace}`, ...above];
}

/** The document of a resource, with its fields in the usual order. */
export function documentOf({ kind, workspace, parents }: Reference, metadata: Values, spec: Values): Values {
  return {
    kind: kind.name,
    ...(isInWorkspace(kind) ? { workspace } : {}),
    ...Object.fromEntries(kind.parents.map(({ field }, depth) => [field, parents[depth] ?? ''])),
    metadata,
    ...(kind.spec === undefined ? {} : { spec }),
  };
}
