// Creates, updates and deletes resources with mutations of the gateway.
import { isInWorkspace, payloadField } from './apply-kind.js';
import type { ApplyKind } from './apply-kind.js';
import { shortName } from './document.js';
import type { Reference, Document } from './document.js';
import { RefusedError } from './gateway-errors.js';
import type { Gateway } from './gateway.js';
import { mutationDocument } from './mutation-document.js';
import { resourceFrom, resourceSelection } from './read-resources.js';
import type { Resource } from './read-resources.js';
import { isMap } from './shape-document.js';
import type { Values } from './shape-document.js';
import { creationFields, updateFields } from './shape-graphql.js';

/** The error of a mutation, as the gateway returned it. */
export interface Refusal {
  code: string;
  /** The validation errors with their fields; at least one. */
  problems: { path: string[]; message: string }[];
  /** The first users of the resource, for `in_use`. */
  usedBy: { kind: string; name: string }[];
  /** The number of all users, for `in_use`; 0 otherwise. */
  usedByCount: number;
}

export type Changed = { resource: Resource } | { refusal: Refusal };

/**
 * Creates the resource of a document. It is returned as the document has it, without what the gateway filled in.
 *
 * @param options.keepsOrigin whether the resource keeps the creation that the document tells of.
 */
export async function createFrom(
  gateway: Gateway,
  document: Document,
  { isDryRun, keepsOrigin = false }: { isDryRun: boolean; keepsOrigin?: boolean | undefined },
): Promise<Changed> {
  const { kind, workspace, parents, name, metadata, spec, origin } = document;
  const input = {
    ...placeOf(document),
    validateOnly: isDryRun,
    ...(keepsOrigin && Object.keys(origin).length > 0 ? { origin } : {}),
    metadata: creationFields(kind.metadata, metadata),
    ...(kind.spec === undefined ? {} : { spec: creationFields(kind.spec, spec) }),
  };
  const read = ({ version }: Record<string, unknown>): Resource => ({
    kind,
    workspace,
    parents,
    name,
    version: Number(version),
    metadata,
    spec,
    origin,
  });
  return change(gateway, 'create', document, input, 'version', read);
}

/** Updates a resource to the fields of its document, unless it has changed since it was read. */
export async function updateFrom(
  gateway: Gateway,
  document: Document,
  current: Resource,
  validateOnly: boolean,
): Promise<Changed> {
  const { kind, name, metadata, spec } = document;
  const specFields = kind.spec === undefined ? {} : updateFields(kind.spec, spec, current.spec);
  return change(gateway, 'update', document, {
    ...placeOf(document),
    name,
    validateOnly,
    ifVersion: current.version,
    metadata: updateFields(kind.metadata, metadata, current.metadata),
    // The update input of a kind with an immutable spec has no spec.
    ...(Object.keys(specFields).length === 0 ? {} : { spec: specFields }),
  });
}

/** Deploys a resource again. */
export async function redeploy(gateway: Gateway, reference: Reference): Promise<Changed> {
  return change(gateway, 'redeploy', reference, { ...placeOf(reference), name: reference.name });
}

/** Deletes a resource, unless it changed since it was read. */
export async function remove(gateway: Gateway, resource: Resource, validateOnly: boolean): Promise<Changed> {
  const { name, version } = resource;
  return change(gateway, 'delete', resource, {
    ...placeOf(resource),
    name,
    validateOnly,
    ifVersion: version,
  });
}

function placeOf({ kind, workspace, parents }: Reference): Values {
  return {
    ...(isInWorkspace(kind) ? { workspace } : {}),
    ...Object.fromEntries(kind.parents.map(({ input }, depth) => [input, parents[depth] ?? ''])),
  };
}

async function change(
  gateway: Gateway,
  verb: Verb,
  reference: Reference,
  input: Values,
  selection = resourceSelection(reference.kind),
  read = (resource: Record<string, unknown>): Resource => resourceFrom(reference, resource),
): Promise<Changed> {
  try {
    const { result } = await gateway.mutate(mutationOf(verb, reference.kind, selection), { input });
    const answered = isMap(result) ? result : {};
    const { resource } = answered;
    return isMap(resource) ? { resource: read(resource) } : { refusal: refusalFrom(answered, input) };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return {
      refusal: { code: error.code, problems: [{ path: [], message: error.message }], usedBy: [], usedByCount: 0 },
    };
  }
}

type Verb = 'create' | 'update' | 'delete' | 'redeploy';

function mutationOf(verb: Verb, kind: ApplyKind, selection: string): string {
  return mutationDocument(`${verb}${kind.name}`, `resource: ${payloadField(kind)} { ${selection} }`);
}

function refusalFrom(
  { code, message, problems, usedBy, usedByCount }: Record<string, unknown>,
  { metadata }: Values,
): Refusal {
  const labels = listOf(isMap(metadata) ? metadata['labels'] : undefined);
  const listed = listOf(problems).map((problem) =>
    inDocument(labels, Array.isArray(problem['path']) ? problem['path'].map(String) : [], String(problem['message'])),
  );
  return {
    code: String(code),
    problems: listed.length > 0 ? listed : [{ path: [], message: String(message) }],
    usedBy: listOf(usedBy).map((user) => ({
      kind: String(user['kind']),
      name: String(user['name']),
    })),
    usedByCount: Number(usedByCount ?? 0),
  };
}

/** The problem of a label names its key: `metadata.labels.team`. The input has labels as a list, and the document as a map. */
function inDocument(labels: Record<string, unknown>[], path: string[], message: string): Refusal['problems'][number] {
  const [part, field, index] = path;
  const label = part === 'metadata' && field === 'labels' ? labels[Number(index)] : undefined;
  if (label === undefined) return { path, message };
  const named = [part, field, shortName(String(label['key']))].map(String);
  return { path: named, message: message.replace(path.join('.'), () => named.join('.')) };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isMap) : [];
}
