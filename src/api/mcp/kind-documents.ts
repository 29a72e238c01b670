// The GraphQL documents of the tools that take any kind of resource. They are derived from the registry of kinds, the
// shapes of manifests and the GraphQL schema, so that a new field or a new kind is in them too.
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { GraphQLArgument, GraphQLField } from 'graphql';
import { applyKinds } from '../../manifests/apply-kind.js';
import type { ApplyKind } from '../../manifests/apply-kind.js';
import { resourceSelection } from '../../manifests/read-resources.js';
import { containersOf, resourceKindNames, resourceKinds } from '../../resource-kinds.js';
import type { ResourceKindName } from '../../resource-kinds.js';
import { fieldsOf } from '../../schema/shape.js';
import { schema } from '../graphql/server/schema.js';

/** A kind that can be listed. */
export interface ListedKind {
  /** Its GraphQL type. */
  name: string;
  /** The GraphQL type that contains it, if it is not the workspace, and the name of that kind in messages. */
  parent?: { name: string; label: string };
  /** Whether its list has a filter by status and labels. */
  isFiltered: boolean;
  /** Whether its list can be searched. */
  isSearched: boolean;
  document: string;
}

/** The facts about each resource of a list that only some kinds have. */
const listedFacts: Readonly<Record<string, string>> = {
  Workspace: 'name displayName viewerRole updatedAt',
  Image: 'metadata { resourceType } spec { size }',
  ImageTag: 'name size updatedAt',
  SandboxPreview: 'spec { url }',
  JobExecution: 'metadata { createdAt startedAt completedAt } stats { total success failure running }',
};

/** The arguments that list_resources sets, where a list has them. */
const listArguments = ['workspace', 'first', 'after', 'search', 'filter'];

/** Workspaces, and the kinds that are in a workspace or in a resource that is. */
export const listedKinds: readonly ListedKind[] = [
  listedKindOf('Workspace', fieldNamed('Query', 'workspaces')),
  ...resourceKindNames.flatMap((kind) => {
    const { typeName, list } = resourceKinds[kind];
    const [container, ...others] = containersOf(kind);
    if (others.length > 0 || !hasField(typeName, 'workspace') || !isNamed(container)) return [];
    return [
      listedKindOf(
        typeName,
        fieldNamed(container === undefined ? 'Query' : resourceKinds[container].typeName, list),
        container,
      ),
    ];
  }),
];

function listedKindOf(name: string, list: Field, container?: ResourceKindName): ListedKind {
  const facts = ['name', 'displayName', 'updatedAt'].filter((fact) => hasField(metadataType(name), fact)).join(' ');
  const metadata = facts === '' ? '' : `metadata { ${facts} }`;
  const status = hasField(name, 'status') ? 'status' : '';
  const node = `id version ${status} ${metadata} ${listedFacts[name] ?? ''}`;
  const page = `totalCount filteredCount pageInfo { hasNextPage } edges { cursor node { ${node} } }`;
  const declared = new Map([['first', 'Int!']]);
  const given = list.args.filter(({ name: argument }) => listArguments.includes(argument));
  const values = given.map(({ name: argument }) => `${argument}: $${argument}`).join(', ');
  const paged = `page: ${list.name}(${values}) { ${page} }`;
  const variables = (args: readonly Pick<GraphQLArgument, 'name' | 'type'>[], more: string[]) =>
    [
      ...more,
      ...args.map(({ name: argument, type }) => `$${argument}: ${declared.get(argument) ?? String(type)}`),
    ].join(', ');
  const filter = getNullableType(given.find(({ name: argument }) => argument === 'filter')?.type);
  const isFiltered =
    isInputObjectType(filter) &&
    ['status', 'labels'].every((criterion) => Object.hasOwn(filter.getFields(), criterion));
  const isSearched = given.some(({ name: argument }) => argument === 'search');
  if (container === undefined)
    return { name, isFiltered, isSearched, document: `query List(${variables(given, [])}) { ${paged} }` };
  const { typeName, label, shortName } = resourceKinds[container];
  const more = ['$workspace: String', '$parent: String!'];
  return {
    name,
    parent: { name: typeName, label },
    isFiltered,
    isSearched,
    document: `query List(${variables(given, more)}) { parent: ${shortName}(workspace: $workspace, name: $parent) { ${paged} } }`,
  };
}

/** Facts that the platform sets, beside the fields of a manifest. */
const setFacts = new Set(['createdAt', 'createdBy', 'updatedAt', 'updatedBy', 'url', 'publicIp']);

/** The kinds that manifests cannot hold, and the list that get_resource shows of each. */
const withoutManifest: Readonly<Record<string, string>> = {
  Image: 'spec { tags(first: 10) { totalCount nodes { name size updatedAt } } }',
  JobExecution: '',
};

/** The kinds that get_resource reads by their name: those that no other resource contains. */
export const namedKinds: readonly string[] = applyKinds
  .filter(({ parents }) => parents.length === 0)
  .map(({ name }) => name);

/** The query of one resource by its id; undefined for another type. */
export function documentById(type: string): string | undefined {
  const selection = selectionOf(type);
  return selection && `query ById($id: ID!) { resource: node(id: $id) { ... on ${type} { ${selection} } } }`;
}

/** The query of one resource by its name. */
export function documentByName(type: string): string | undefined {
  const kind = applyKinds.find(({ name }) => name === type);
  const selection = selectionOf(type);
  if (kind === undefined || selection === undefined || !namedKinds.includes(type)) return undefined;
  if (kind.isFlat) return `query ByName($name: String!) { resource: ${kind.one}(name: $name) { ${selection} } }`;
  const resource = `${kind.one}(workspace: $workspace, name: $name)`;
  return `query ByName($workspace: String, $name: String!) { resource: ${resource} { ${selection} } }`;
}

function selectionOf(type: string): string | undefined {
  const kind = applyKinds.find(({ name }) => name === type);
  const fields = kind === undefined ? detailSelection(type) : manifestSelection(kind);
  return fields && `id version ${kind?.isFlat ? '' : 'workspace { name }'} ${fields}`;
}

/** All that the schema has of a kind without manifests; undefined for another type. */
function detailSelection(type: string): string | undefined {
  const list = withoutManifest[type];
  return list === undefined ? undefined : `${wholeSelection(type)} ${list}`;
}

/**
 * All fields of a type without arguments, except other resources.
 *
 * @param selected the types that the fields further above have: each is selected once, such as the tasks of an execution.
 */
function wholeSelection(type: string, selected: readonly string[] = []): string {
  const fields = Object.values(objectType(type)?.getFields() ?? {}).filter(({ args }) => args.length === 0);
  const known = [...selected, ...fields.map((field) => getNamedType(field.type).name)];
  return fields
    .flatMap(({ name, type: given }) => {
      const of = getNamedType(given);
      if (isLeafType(of)) return [name];
      const isFact = !hasField(of.name, 'version') && !selected.includes(of.name);
      return isFact ? [`${name} { ${wholeSelection(of.name, known)} }`] : [];
    })
    .join(' ');
}

function manifestSelection(kind: ApplyKind): string {
  const factsOf = (shape: ApplyKind['metadata'] | undefined) =>
    (shape === undefined ? [] : fieldsOf(shape)).filter(({ name, isReadOnly }) => isReadOnly && setFacts.has(name));
  const [metadata, spec] = [kind.metadata, kind.spec].map((shape) =>
    factsOf(shape)
      .map(({ name }) => name)
      .join(' '),
  );
  const parts = [
    resourceSelection(kind),
    ...(metadata === '' ? [] : [kind.isFlat ? metadata : `metadata { ${metadata} }`]),
    ...(spec === '' ? [] : [`spec { ${spec} }`]),
    ...(hasField(kind.name, 'events') ? ['events { time type status message }'] : []),
    // The nearest one outermost, as the fields of the types lead to it.
    kind.parents.reduce((above, { field }) => `${field} { name ${above} }`, ''),
  ];
  return parts.join(' ');
}

/** The mutation that deletes a resource by its id; undefined for a type that has none. */
export function deleteDocument(type: string): string | undefined {
  return mutationById('Delete', type, 'id version');
}

/** The mutation that deploys a resource again, by its id; undefined for a type that has none. */
export function redeployDocument(type: string): string | undefined {
  return mutationById('Redeploy', type, 'id version status');
}

/** A mutation whose payload has the resource. */
function mutationById(action: string, type: string, selection: string): string | undefined {
  const name = `${action}${type}`;
  const payload = objectType(`${name}Payload`)?.getFields() ?? {};
  const field = Object.values(payload).find((each) => String(each.type) === `${type}!`);
  if (field === undefined || !resourceKindNames.some((kind) => resourceKinds[kind].typeName === type)) return undefined;
  return `mutation ${name}($input: ${name}Input!) {
    result: ${action.toLowerCase()}${type}(input: $input) {
      ... on ${name}Payload { resource: ${field.name} { ${selection} } }
      ... on Error { code message path }
      ... on InvalidInputError { problems { path code message } }
      ... on ConflictError { currentVersion updatedBy updatedAt changedFields usedBy { kind name } usedByCount }
    }
  }`;
}

type Field = GraphQLField<unknown, unknown>;

function objectType(name: string) {
  const type = schema.getType(name);
  return isObjectType(type) ? type : undefined;
}

function hasField(type: string, field: string): boolean {
  return objectType(type)?.getFields()[field] !== undefined;
}

/** The name of the type of a kind's metadata; empty for a kind that has its metadata at the top level. */
function metadataType(type: string): string {
  const field = objectType(type)?.getFields()['metadata'];
  return field === undefined ? '' : getNamedType(field.type).name;
}

function fieldNamed(type: string, name: string): Field {
  const field = objectType(type)?.getFields()[name];
  if (field === undefined) throw new Error(`The schema has no field ${type}.${name}.`);
  return field;
}

/** Whether a resource can be named as a parent by its name alone. */
function isNamed(kind: ResourceKindName | undefined): boolean {
  if (kind === undefined) return true;
  const { typeName, shortName } = resourceKinds[kind];
  const { type, args } = fieldNamed('Query', shortName);
  const required = args.filter((argument) => isRequiredArgument(argument)).map(({ name }) => name);
  return String(type) === typeName && required.every((name) => name === 'name');
}
