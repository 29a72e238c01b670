/** The units of usage. */
export const units = {
  gbs: 'Gigabyte-seconds.',
  count: 'Discrete events.',
  hours: 'Active hours.',
} as const;

export type Unit = keyof typeof units;

/** The charge types of dimensions, which determine the sign of the amounts. */
export const dimensionKinds = {
  usage: 'Usage. Amounts are positive or zero.',
  credit: 'A credit. Amounts are negative or zero.',
} as const;

export type DimensionKind = keyof typeof dimensionKinds;

export function isDimensionKind(text: string): text is DimensionKind {
  return Object.hasOwn(dimensionKinds, text);
}

/** Billing dimensions with their unit and resource type (specification, Billing dimensions). */
export const billingDimensions = {
  sandbox_compute_runtime_gbs: { resourceType: 'sandbox', unit: 'gbs', description: 'Memory of running sandboxes.' },
  sandbox_image_storage_gbs: { resourceType: 'sandbox', unit: 'gbs', description: 'Storage of sandbox images.' },
  sandbox_snapshot_storage_gbs: { resourceType: 'sandbox', unit: 'gbs', description: 'Storage of sandbox snapshots.' },
  agent_compute_runtime_gbs: { resourceType: 'agent', unit: 'gbs', description: 'Memory of running agents.' },
  agent_image_storage_gbs: { resourceType: 'agent', unit: 'gbs', description: 'Storage of agent images.' },
  agent_async_requests_count: { resourceType: 'agent', unit: 'count', description: 'Async requests to agents.' },
  job_compute_runtime_gbs: { resourceType: 'job', unit: 'gbs', description: 'Memory of running jobs.' },
  job_image_storage_gbs: { resourceType: 'job', unit: 'gbs', description: 'Storage of job images.' },
  mcp_server_compute_runtime_gbs: {
    resourceType: 'mcp_server',
    unit: 'gbs',
    description: 'Memory of running MCP servers.',
  },
  mcp_server_image_storage_gbs: {
    resourceType: 'mcp_server',
    unit: 'gbs',
    description: 'Storage of MCP server images.',
  },
  volume_storage_gbs: { resourceType: 'volume', unit: 'gbs', description: 'Storage of volumes.' },
  custom_domain_active_time_hours: {
    resourceType: 'custom_domain',
    unit: 'hours',
    description: 'Active time of custom domains.',
  },
} as const satisfies Record<string, { resourceType: string; unit: Unit; description: string }>;

export type BillingDimension = keyof typeof billingDimensions;

export function isBillingDimension(text: string): text is BillingDimension {
  return Object.hasOwn(billingDimensions, text);
}

/** Dimensions that costs can be grouped by, in the order of the specification. */
export const groupDimensions = {
  workspace: 'Name of the workspace. Account admins only.',
  resource_type: 'Raw resource type, such as sandbox, agent, job, mcp_server, volume, custom_domain.',
  resource_name: 'Name of the resource.',
  resource_uuid: 'UUID or instance ID of the resource. Empty if the resource type has none.',
  billing_dimension: 'Billing dimension. With this grouping, usage is returned in addition to cost.',
} as const;

export type GroupDimension = keyof typeof groupDimensions;

export function isGroupDimension(text: string): text is GroupDimension {
  return Object.hasOwn(groupDimensions, text);
}

/** The order of dimensions within the sort key of groups (decision 34). */
export const keyOrder: readonly GroupDimension[] = [
  'resource_uuid',
  'resource_name',
  'workspace',
  'resource_type',
  'billing_dimension',
];

/** The labels of a query, as columns: the first one has the label with the first key. */
export const labelColumns = ['label_1', 'label_2', 'label_3', 'label_4'] as const;

export type LabelColumn = (typeof labelColumns)[number];

/** A part of the key of a group: a dimension, a label, or all labels together as JSON. */
export type KeyColumn = GroupDimension | LabelColumn | 'tags';

/** Fields that are set in addition to those requested, if they are the same in the whole group (decision 35). */
const enrichedBy: Partial<Record<GroupDimension, readonly GroupDimension[]>> = {
  resource_name: ['resource_uuid'],
  workspace: ['resource_uuid', 'resource_name'],
  resource_type: ['resource_uuid', 'resource_name', 'billing_dimension'],
};

/** Returns the dimensions that a grouping is enriched with, in the order of keys. */
export function enrichedDimensions(groupBy: readonly KeyColumn[]): GroupDimension[] {
  return keyOrder.filter(
    (dimension) => !groupBy.includes(dimension) && enrichedBy[dimension]?.some((cause) => groupBy.includes(cause)),
  );
}
