import { nanoFrom } from '../look/decimal.js';
import { dimensionWord, wordOf } from '../look/labels.js';
import type { CostsSearch, Dimension } from './costs-search.js';
import type { Entry } from './metrics.js';
import { nanosOf } from './metrics.js';

/** A row of the table and a series of the chart. */
export interface Group {
  /** Identifies the group, also in other periods. */
  key: string;
  values: Partial<Record<Dimension, string>>;
  workspace: string | undefined;
  resourceType: string | undefined;
  nano: bigint;
  usage: string | null;
  nanos: readonly bigint[];
}

/** The value of an entry for a dimension, as the API writes it in filters. */
export function valueOf(entry: Entry, dimension: Dimension): string {
  const values = {
    workspace: entry.workspaceName,
    resource_type: entry.resourceType,
    resource_name: entry.resourceName,
    resource_uuid: entry.resourceUuid,
    billing_dimension: entry.billingDimension,
  };
  return values[dimension] ?? '';
}

/** The label of a value. */
export function textOf(dimension: Dimension, value: string): string {
  if (dimension === 'resource_type') return wordOf(value);
  if (dimension === 'billing_dimension') return dimensionWord(value);
  return value === '' ? '(none)' : value;
}

export function groupsOf(entries: readonly Entry[], by: readonly Dimension[]): Group[] {
  return entries.map((entry) => {
    const values = Object.fromEntries(by.map((dimension) => [dimension, valueOf(entry, dimension)]));
    return {
      key: JSON.stringify(by.map((dimension) => valueOf(entry, dimension))),
      values,
      workspace: entry.workspaceName ?? undefined,
      resourceType: entry.resourceType ?? undefined,
      nano: nanoFrom(entry.cost),
      usage: entry.usage,
      nanos: nanosOf(entry),
    };
  });
}

export function labelOf(group: Group, by: readonly Dimension[]): string {
  return by.map((dimension) => textOf(dimension, group.values[dimension] ?? '')).join(' · ');
}

/** The filters that show only one group. */
export function filtersOf(group: Group, isAdmin: boolean): Partial<CostsSearch> {
  const { values } = group;
  const { workspace, resource_type: type, resource_name: name, billing_dimension: dimension } = values;
  return {
    ...(workspace === undefined ? {} : { workspace }),
    ...(type === undefined ? {} : { type }),
    ...(name === undefined ? {} : { name }),
    ...(dimension === undefined ? {} : { dimension }),
    // Groups by the next dimension, because the current one has only one value left.
    by: nextBy(group, isAdmin),
  };
}

function nextBy({ values, workspace }: Group, isAdmin: boolean): Dimension[] {
  // Resources in different workspaces can have the same name.
  if (values.resource_name !== undefined && workspace === undefined && isAdmin) return ['workspace', 'resource_name'];
  const order: Dimension[] = ['resource_type', 'resource_name', 'billing_dimension'];
  const next = order.find(
    (dimension) =>
      values[dimension] === undefined && !(dimension === 'resource_type' && values.resource_name !== undefined),
  );
  return [next ?? 'billing_dimension'];
}
