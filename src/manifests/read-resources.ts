// Reads resources from the gateway in the form of documents: one by its name, or a list of any length.
import { applyKinds, isInWorkspace, originFields } from './apply-kind.js';
import type { ApplyKind } from './apply-kind.js';
import { originIn, titleOf } from './document.js';
import type { Reference } from './document.js';
import { RefusedError } from './gateway-errors.js';
import type { Gateway } from './gateway.js';
import { inParallel } from './in-parallel.js';
import { isMap } from './shape-document.js';
import type { Values } from './shape-document.js';
import { documentFields, selectionOf } from './shape-graphql.js';

/** A resource of the gateway. */
export interface Resource extends Reference {
  version: number;
  /** Absent for kinds without a status. */
  status?: string;
  /** The time since when it is unknown whether a deployed resource runs. */
  unknownSince?: string;
  metadata: Values;
  spec: Values;
  /** When it was created, and by whom. */
  origin: Values;
}

/** Resources of a kind; those of one parent if the kind has parents. */
export interface Listing {
  kind: ApplyKind;
  workspace: string;
  parents: string[];
  /** Only resources with this label. */
  label?: { key: string; value: string };
  /** Only resources with these names, at most 100. */
  names?: string[];
}

const pageLength = 100;

/** The selected fields of a resource. */
export function resourceSelection(kind: ApplyKind): string {
  const { metadata, spec, isFlat, hasStatus } = kind;
  const fields = isFlat
    ? selectionOf(metadata)
    : `metadata { ${[selectionOf(metadata), ...originFields(kind)].join(' ')} }`;
  const status = hasStatus === true ? 'status observed { unknownSince } ' : '';
  return `version ${status}${fields}${spec === undefined ? '' : ` spec { ${selectionOf(spec)} }`}`;
}

/** Reads a resource from the result of that selection. */
export function resourceFrom(at: Omit<Reference, 'name'>, answered: Record<string, unknown>): Resource {
  const { kind, workspace, parents } = at;
  const ofMetadata = kind.isFlat ? answered : answered['metadata'];
  const metadata = documentFields(kind.metadata, ofMetadata);
  const { status, observed } = answered;
  const unknownSince = isMap(observed) ? observed['unknownSince'] : undefined;
  return {
    kind,
    workspace,
    parents,
    name: String(metadata['name']),
    version: Number(answered['version']),
    ...(typeof status === 'string' && { status }),
    ...(typeof unknownSince === 'string' && { unknownSince }),
    metadata,
    spec: kind.spec === undefined ? {} : documentFields(kind.spec, answered['spec']),
    origin: originIn(kind, ofMetadata),
  };
}

/** One resource; undefined if it does not exist. @throws {RefusedError} if the key lacks access */
export async function readResource(gateway: Gateway, reference: Reference): Promise<Resource | undefined> {
  const { kind, workspace, parents, name } = reference;
  const steps = [...parents.map((_, depth) => parentField(kind, depth)), kind.one];
  const query = nested(isInWorkspace(kind), steps, `name: $n${steps.length - 1}`, resourceSelection(kind));
  const data = await gateway.query(query, variablesOf(workspace, [...parents, name]));
  const found = descend(data, steps);
  return found && resourceFrom({ kind, workspace, parents }, found);
}

/**
 * Reads many resources of one kind, a page at a time.
 *
 * @returns each by its title; undefined if it does not exist. Resources that the gateway does not allow to list are
 *   omitted.
 */
export async function readResources(
  gateway: Gateway,
  kind: ApplyKind,
  references: readonly Reference[],
): Promise<Map<string, Resource | undefined>> {
  const found = new Map<string, Resource | undefined>();
  // The list of workspaces has no filter.
  if (kind.isFlat) return found;
  const pages = pagesOf(references);
  const read = async (page: Reference[]) => ({ page, resources: await readPage(gateway, page) });
  await inParallel(pages, read, ({ page, resources }) => {
    if (resources === undefined) return;
    for (const reference of page) found.set(titleOf(reference), undefined);
    for (const resource of resources) found.set(titleOf(resource), resource);
  });
  return found;
}

/** Groups references by their parent, with at most one page per group. */
function pagesOf(references: readonly Reference[]): Reference[][] {
  const pages: Reference[][] = [];
  const open = new Map<string, Reference[]>();
  for (const reference of references) {
    const parent = JSON.stringify([reference.workspace, reference.parents]);
    const page = open.get(parent) ?? [];
    if (page.length === 0) pages.push(page);
    page.push(reference);
    if (page.length === pageLength) open.delete(parent);
    else open.set(parent, page);
  }
  return pages;
}

/** Resources of one parent. @returns undefined if the gateway does not allow to list them */
async function readPage(gateway: Gateway, page: Reference[]): Promise<Resource[] | undefined> {
  const [first] = page;
  if (first === undefined) return [];
  try {
    return await listResources(gateway, { ...first, names: page.map(({ name }) => name) });
  } catch (error) {
    if (error instanceof MissingParentError) return [];
    if (error instanceof RefusedError) return undefined;
    throw error;
  }
}

/** All resources of a list, in the order of their names. @throws {RefusedError} also for an unknown parent */
async function listResources(gateway: Gateway, listing: Listing): Promise<Resource[]> {
  const { kind, workspace, parents } = listing;
  const steps = [...parents.map((_, depth) => parentField(kind, depth)), kind.list];
  const filter = filterOf(listing);
  const isFiltered = Object.keys(filter).length > 0;
  const page = `first: ${pageLength}, after: $after, orderBy: { field: NAME, direction: ASC }${isFiltered ? ', filter: $filter' : ''}`;
  const selection = `pageInfo { hasNextPage endCursor } nodes { ${resourceSelection(kind)} }`;
  const declared = ['$after: String', ...(isFiltered ? [`$filter: ${kind.name}Filter`] : [])];
  const query = nested(isInWorkspace(kind), steps, page, selection, declared);
  const found: Resource[] = [];
  for (let after: string | null = null; ;) {
    const data = await gateway.query(query, {
      ...variablesOf(workspace, parents),
      ...(isFiltered ? { filter } : {}),
      after,
    });
    const list = descend(data, steps);
    if (list === undefined) throw new MissingParentError(`There is no ${parentTitle(listing)}.`);
    for (const node of Array.isArray(list['nodes']) ? list['nodes'] : []) {
      if (isMap(node)) found.push(resourceFrom({ kind, workspace, parents }, node));
    }
    const { pageInfo } = list;
    if (!isMap(pageInfo) || pageInfo['hasNextPage'] !== true) return found;
    after = String(pageInfo['endCursor']);
  }
}

function filterOf({ label, names }: Listing): Values {
  return {
    ...(label === undefined ? {} : { labels: [{ key: label.key, in: [label.value] }] }),
    ...(names === undefined ? {} : { name: { in: names } }),
  };
}

/** The parent of the list does not exist. */
class MissingParentError extends Error {}

/**
 * All resources of a kind in a workspace, over all parents; `parents` are the known ones.
 *
 * @throws {MissingParentError} if a known one does not exist.
 */
export async function listAll(gateway: Gateway, listing: Listing): Promise<Resource[]> {
  const { kind, parents } = listing;
  const parent = kind.parents[parents.length];
  const above = applyKinds.find(({ name }) => name === parent?.kind);
  const found = await listResources(gateway, above === undefined ? listing : { ...listing, kind: above });
  if (above === undefined) return found;
  const below: Resource[] = [];
  const list = ({ name }: Resource) => listBelow(gateway, { ...listing, parents: [...parents, name] });
  await inParallel(found, list, (each) => void below.push(...each));
  return below;
}

/** The same for a parent that was listed before. If it was deleted since then, nothing is below it. */
export async function listBelow(gateway: Gateway, listing: Listing): Promise<Resource[]> {
  try {
    return await listAll(gateway, listing);
  } catch (error) {
    if (error instanceof MissingParentError) return [];
    throw error;
  }
}

function parentField(kind: ApplyKind, depth: number): string {
  const parent = kind.parents[depth];
  return applyKinds.find(({ name }) => name === parent?.kind)?.one ?? '';
}

function parentTitle({ kind, workspace, parents }: Listing): string {
  const parent = kind.parents[parents.length - 1];
  return parent === undefined ? `workspace ${workspace}` : `${parent.kind} ${[workspace, ...parents].join('/')}`;
}

/** A query of nested fields: each but the last has the name of a parent as its argument. */
function nested(isPlaced: boolean, steps: string[], last: string, selection: string, declared: string[] = []): string {
  const isNamed = (depth: number) => depth < steps.length - 1 || last.startsWith('name:');
  const names = steps.flatMap((_, depth) => (isNamed(depth) ? [`$n${depth}: String!`] : []));
  const variables = [...(isPlaced ? ['$workspace: String'] : []), ...names, ...declared].join(', ');
  const fields = steps.reduceRight((below, field, depth) => {
    const argument = isPlaced && depth === 0 ? 'workspace: $workspace, ' : '';
    return `${field}(${argument}${depth === steps.length - 1 ? last : `name: $n${depth}`}) { ${below} }`;
  }, selection);
  return `query Read(${variables}) { ${fields} }`;
}

function variablesOf(workspace: string, names: string[]): Values {
  const variables = Object.fromEntries(names.map((name, depth) => [`n${depth}`, name]));
  return workspace === '' ? variables : { workspace, ...variables };
}

function descend(data: Record<string, unknown>, steps: string[]): Record<string, unknown> | undefined {
  let found: unknown = data;
  for (const step of steps) found = isMap(found) ? found[step] : undefined;
  return isMap(found) ? found : undefined;
}
