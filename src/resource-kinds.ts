// The registry of resource kinds: the single table of all kinds and their features. The change log, executors, lists,
// search, overviews, GraphQL's node ids and manifests derive their own lists from it.
import type { Scope } from './auth/scopes.js';

interface ResourceKindEntry {
  /** Describes one resource of the kind. */
  description: string;
  /** The name of one resource of the kind in messages, as in "the egress gateway". */
  label: string;
  plural: string;
  table: string;
  /** Name of the GraphQL type, and of the kind in manifests. */
  typeName: string;
  /** Name of the kind in fields that refer to it: `vpc` in `vpcName`, or in a manifest. */
  shortName: string;
  /** The kind that contains it; the workspace if there is none. */
  parent?: string;
  /** GraphQL field, of the query or of the parent, that returns one resource by name. */
  field?: string;
  /** GraphQL connection of the workspace, or of the parent. */
  list: string;
  /** Scopes that read one resource and that list them. */
  scopes: { get: Scope; list: Scope };
  hasStatus: boolean;
  hasLabels: boolean;
  /** Whether `resource_count` contains the number of them, by status. */
  isCounted: boolean;
  /** Whether overviews of a workspace count it. */
  isInOverview: boolean;
  /** Whether the search across kinds finds it. */
  isSearched: boolean;
  /** Whether usage is recorded for it, so that lists can be ordered by cost. */
  isBilled: boolean;
  /** Whether executors reconcile it. */
  isExecuted: boolean;
  /** Whether manifests can contain it. */
  isApplied: boolean;
}

/** The order is that of search results with the same name, and of overviews. */
export const resourceKinds = {
  AGENT: {
    description: 'An agent.',
    label: 'agent',
    plural: 'Agents',
    table: 'agent',
    typeName: 'Agent',
    shortName: 'agent',
    field: 'agent',
    list: 'agents',
    scopes: { get: 'agents:get', list: 'agents:list' },
    hasStatus: true,
    hasLabels: true,
    isCounted: true,
    isInOverview: true,
    isSearched: true,
    isBilled: true,
    isExecuted: true,
    isApplied: true,
  },
  SANDBOX: {
    description: 'A sandbox.',
    label: 'sandbox',
    plural: 'Sandboxes',
    table: 'sandbox',
    typeName: 'Sandbox',
    shortName: 'sandbox',
    field: 'sandbox',
    list: 'sandboxes',
    scopes: { get: 'sandboxes:get', list: 'sandboxes:list' },
    hasStatus: true,
    hasLabels: true,
    isCounted: true,
    isInOverview: true,
    isSearched: true,
    isBilled: true,
    isExecuted: true,
    isApplied: true,
  },
  SANDBOX_PREVIEW: {
    description: 'A preview of a sandbox.',
    label: 'preview',
    plural: 'Previews of sandboxes',
    table: 'sandbox_preview',
    typeName: 'SandboxPreview',
    shortName: 'preview',
    parent: 'SANDBOX',
    field: 'preview',
    list: 'previews',
    scopes: { get: 'admin', list: 'admin' },
    hasStatus: false,
    hasLabels: false,
    isCounted: false,
    isInOverview: true,
    isSearched: true,
    isBilled: false,
    isExecuted: true,
    isApplied: true,
  },
  JOB: {
    description: 'A job.',
    label: 'job',
    plural: 'Jobs',
    table: 'job',
    typeName: 'Job',
    shortName: 'job',
    field: 'job',
    list: 'jobs',
    scopes: { get: 'jobs:get', list: 'jobs:list' },
    hasStatus: true,
    hasLabels: true,
    isCounted: true,
    isInOverview: true,
    isSearched: true,
    isBilled: true,
    isExecuted: true,
    isApplied: true,
  },
  JOB_EXECUTION: {
    description: 'An execution of a job.',
    label: 'execution',
    plural: 'Executions of jobs',
    table: 'job_execution',
    typeName: 'JobExecution',
    shortName: 'execution',
    parent: 'JOB',
    list: 'executions',
    scopes: { get: 'admin', list: 'admin' },
    hasStatus: true,
    hasLabels: false,
    isCounted: false,
    isInOverview: true,
    isSearched: false,
    isBilled: false,
    isExecuted: false,
    isApplied: false,
  },
  VOLUME: {
    description: 'A volume.',
    label: 'volume',
    plural: 'Volumes',
    table: 'volume',
    typeName: 'Volume',
    shortName: 'volume',
    field: 'volume',
    list: 'volumes',
    scopes: { get: 'volumes:get', list: 'volumes:list' },
    hasStatus: true,
    hasLabels: true,
    isCounted: true,
    isInOverview: true,
    isSearched: true,
    isBilled: true,
    isExecuted: true,
    isApplied: true,
  },
  IMAGE: {
    description: 'A container image.',
    label: 'image',
    plural: 'Container images',
    table: 'image',
    typeName: 'Image',
    shortName: 'image',
    field: 'image',
    list: 'images',
    scopes: { get: 'admin', list: 'admin' },
    hasStatus: false,
    hasLabels: false,
    isCounted: true,
    isInOverview: true,
    isSearched: true,
    isBilled: false,
    isExecuted: false,
    isApplied: false,
  },
  IMAGE_TAG: {
    description: 'A tag of a container image.',
    label: 'tag',
    plural: 'Tags of container images',
    table: 'image_tag',
    typeName: 'ImageTag',
    shortName: 'tag',
    parent: 'IMAGE',
    list: 'tags',
    scopes: { get: 'admin', list: 'admin' },
    hasStatus: false,
    hasLabels: false,
    isCounted: false,
    isInOverview: false,
    isSearched: false,
    isBilled: false,
    isExecuted: false,
    isApplied: false,
  },
  IMAGE_SHARE: {
    description: 'An image that one workspace shares with another.',
    label: 'image share',
    plural: 'Shares of container images',
    table: 'image_share',
    typeName: 'ImageShare',
    shortName: 'share',
    list: 'pendingImageShares',
    scopes: { get: 'admin', list: 'admin' },
    hasStatus: false,
    hasLabels: false,
    isCounted: false,
    isInOverview: false,
    isSearched: false,
    isBilled: false,
    isExecuted: false,
    isApplied: false,
  },
  VPC: {
    description: 'A VPC.',
    label: 'VPC',
    plural: 'VPCs',
    table: 'vpc',
    typeName: 'Vpc',
    shortName: 'vpc',
    field: 'vpc',
    list: 'vpcs',
    scopes: { get: 'admin', list: 'admin' },
    hasStatus: true,
    hasLabels: true,
    isCounted: true,
    isInOverview: true,
    isSearched: true,
    isBilled: false,
    isExecuted: true,
    isApplied: true,
  },
  EGRESS_GATEWAY: {
    description: 'An egress gateway of a VPC.',
    label: 'egress gateway',
    plural: 'Egress gateways of VPCs',
    table: 'egress_gateway',
    typeName: 'EgressGateway',
    shortName: 'gateway',
    parent: 'VPC',
    field: 'egressGateway',
    list: 'egressGateways',
    scopes: { get: 'admin', list: 'admin' },
    hasStatus: true,
    hasLabels: false,
    isCounted: false,
    isInOverview: true,
    isSearched: true,
    isBilled: false,
    isExecuted: true,
    isApplied: true,
  },
  EGRESS_IP: {
    description: 'An IP address of an egress gateway.',
    label: 'egress IP',
    plural: 'IP addresses of egress gateways',
    table: 'egress_ip',
    typeName: 'EgressIp',
    shortName: 'ip',
    parent: 'EGRESS_GATEWAY',
    field: 'ip',
    list: 'ips',
    scopes: { get: 'admin', list: 'admin' },
    hasStatus: false,
    hasLabels: false,
    isCounted: false,
    isInOverview: true,
    isSearched: true,
    isBilled: false,
    isExecuted: true,
    isApplied: true,
  },
} as const satisfies Record<string, ResourceKindEntry>;

type Registry = typeof resourceKinds;

export type ResourceKindName = keyof Registry;

type Flag =
  'hasStatus' | 'hasLabels' | 'isCounted' | 'isInOverview' | 'isSearched' | 'isBilled' | 'isExecuted' | 'isApplied';

/** The kinds for which the registry says yes. */
export type KindWith<Property extends Flag> = {
  [Kind in ResourceKindName]: Registry[Kind][Property] extends true ? Kind : never;
}[ResourceKindName];

/** The kinds that are directly in a workspace and have a field that returns one by name. */
export type NamedKind = {
  [Kind in ResourceKindName]: Registry[Kind] extends { parent: string }
    ? never
    : Registry[Kind] extends { field: string }
      ? Kind
      : never;
}[ResourceKindName];

/** The kinds that are in another resource and have a field that returns one by name. */
export type ChildKind = {
  [Kind in ResourceKindName]: Registry[Kind] extends { parent: string; field: string } ? Kind : never;
}[ResourceKindName];

/**
 * The kind that a person names: `EgressIp`, `EGRESS_IP`, `egress-ips`, `egressIp`, `ips` or `egress IP`. Singular and plural, the short name,
 * and every way to separate words are accepted. `typeName` is what is printed.
 */
export function kindSpelled(typed: string): ResourceKindName | undefined {
  return resourceKindNames.find((kind) => {
    const { typeName, shortName, label } = resourceKinds[kind];
    return [kind, typeName, shortName, label].some((name) => isSpelling(typed, name));
  });
}

/** Whether a text is a name, in the singular or plural, whatever separates its words. */
export function isSpelling(typed: string, name: string): boolean {
  const [given, known] = [typed, name].map((each) => each.toLowerCase().replaceAll(/[-_ ]/g, ''));
  return given === known || given === `${known}s` || given === `${known}es`;
}

/** Whether a word names a resource kind. */
export const isResourceKind = (name: string): name is ResourceKindName => Object.hasOwn(resourceKinds, name);

/** A kind of resource or another subject of the change log, as messages name it: `egress IP`, `api key`. */
export function labelOfKind(kind: string): string {
  return isResourceKind(kind) ? resourceKinds[kind].label : kind.toLowerCase().replaceAll('_', ' ');
}

/** All kinds, in the order of the registry. */
export const resourceKindNames: readonly ResourceKindName[] = Object.keys(resourceKinds).filter(isResourceKind);

export function isKindWith<Property extends Flag>(property: Property, name: string): name is KindWith<Property> {
  return isResourceKind(name) && resourceKinds[name][property];
}

/** The kinds for which the registry says yes, in its order. */
export function kindsWith<Property extends Flag>(property: Property): KindWith<Property>[] {
  const has = (name: string): name is KindWith<Property> => isKindWith(property, name);
  return resourceKindNames.filter(has);
}

/** A view of a table of resources: `offered_image_share` has image shares in the workspace that offers them. */
export type ResourceView = 'offered_image_share';

/** The tables of resources, and their views. */
export type ResourceTable = Registry[ResourceKindName]['table'] | ResourceView;

const kindsOfTables = new Map<ResourceTable, ResourceKindName>([
  ...resourceKindNames.map((name): [ResourceTable, ResourceKindName] => [resourceKinds[name].table, name]),
  ['offered_image_share', 'IMAGE_SHARE'],
]);

/** The kind of the rows of a table. @throws for a table without a kind. */
export function kindOfRows(table: ResourceTable): ResourceKindName {
  const kind = kindsOfTables.get(table);
  if (kind === undefined) throw new Error(`The table ${table} is not of a resource kind.`);
  return kind;
}

/** The kinds that contain a kind, outermost first. */
export function containersOf(kind: ResourceKindName): ResourceKindName[] {
  const entry: ResourceKindEntry = resourceKinds[kind];
  return entry.parent !== undefined && isResourceKind(entry.parent)
    ? [...containersOf(entry.parent), entry.parent]
    : [];
}

/** A table with an entry for each kind. */
export function eachKind<Entry>(entryOf: (kind: ResourceKindName) => Entry): Record<ResourceKindName, Entry> {
  const isComplete = (table: object): table is Record<ResourceKindName, Entry> =>
    resourceKindNames.every((kind) => kind in table);
  const table = Object.fromEntries(resourceKindNames.map((kind) => [kind, entryOf(kind)]));
  if (!isComplete(table)) throw new Error('A resource kind is missing.');
  return table;
}
