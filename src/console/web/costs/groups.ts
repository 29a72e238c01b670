import { nanoFrom } from '../look/decimal.js';
import { dimensionWord, wordOf } from '../look/labels.js';
import { labelFilterText } from '../lists/label-filter.js';
import { labelKeyOf } from './costs-search.js';
import type { CostsSearch, Dimension, Grouping } from './costs-search.js';
import type { Entry } from './metrics.js';
import { nanosOf } from './metrics.js';

/** A row of the table and a series of the chart. */
export interface Group {
  /** Identifies the group, also in other periods. */
  key: string;
  values: Partial<Record<Grouping, string>>;
  workspace: string | undefined;
  resourceType: string | undefined;
  nano: bigint;
  usage: string | null;
  nanos: readonly bigint[];
}

/** Precedes the value of a label, which can be empty. Usage without the label has the empty text. */
const labelMark = '=';

/** The value of an entry for a dimension as the API writes it in filters, or that of a label after its mark. */
export function valueOf(entry: Entry, grouping: Grouping): string {
  const key = labelKeyOf(grouping);
  if (key !== undefined) {
    const value = entry.labels.find((label) => label.key === key)?.value;
    return value == null ? '' : `${labelMark}${value}`;
  }
  const values: Partial<Record<Grouping, string | null>> = {
    workspace: entry.workspaceName,
    resource_type: entry.resourceType,
    resource_name: entry.resourceName,
    resource_uuid: entry.resourceUuid,
    billing_dimension: entry.billingDimension,
  };
  return values[grouping] ?? '';
}

/** The value of a label; undefined for usage without the label. */
export function labelValueOf(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value.slice(labelMark.length);
}

/** The text of a value. */
export function textOf(dimension: Grouping, value: string): string {
  if (labelKeyOf(dimension) !== undefined) return labelValueOf(value) ?? '(none)';
  if (dimension === 'resource_type') return wordOf(value);
  if (dimension === 'billing_dimension') return dimensionWord(value);
  return value === '' ? '(none)' : value;
}

export function groupsOf(entries: readonly Entry[], by: readonly Grouping[]): Group[] {
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

export function labelOf(group: Group, by: readonly Grouping[]): string {
  return by.map((dimension) => textOf(dimension, group.values[dimension] ?? '')).join(' · ');
}

/** The conditions on labels that show only one group of a query with these conditions. */
export function labelFiltersOf(group: Group | undefined, search: Pick<CostsSearch, 'label'>): string[] {
  const ofGroup = Object.entries(group?.values ?? {}).flatMap(([grouping, value]) => {
    const key = labelKeyOf(grouping);
    return key === undefined ? [] : [labelFilterText(key, labelValueOf(value))];
  });
  return [...new Set([...(search.label ?? []), ...ofGroup])];
}

/** The filters that show only one group of a query. */
export function filtersOf(group: Group, search: Pick<CostsSearch, 'label'>, isAdmin: boolean): Partial<CostsSearch> {
  const { values } = group;
  const label = labelFiltersOf(group, search);
  const { workspace, resource_type: type, resource_name: name, billing_dimension: dimension } = values;
  return {
    ...(workspace === undefined ? {} : { workspace }),
    ...(type === undefined ? {} : { type }),
    ...(name === undefined ? {} : { name }),
    ...(dimension === undefined ? {} : { dimension }),
    ...(label.length === 0 ? {} : { label }),
    // Groups by the next dimension, because the current one has only one value left.
    by: nextBy(group, isAdmin),
  };
}

function nextBy({ values, workspace }: Group, isAdmin: boolean): Dimension[] {
  const isOfLabel = Object.keys(values).some((grouping) => labelKeyOf(grouping) !== undefined);
  if (isOfLabel && values.resource_name === undefined) return ['resource_name'];
  // Resources in different workspaces can have the same name.
  if (values.resource_name !== undefined && workspace === undefined && isAdmin) return ['workspace', 'resource_name'];
  const order: Dimension[] = ['resource_type', 'resource_name', 'billing_dimension'];
  const next = order.find(
    (dimension) =>
      values[dimension] === undefined && !(dimension === 'resource_type' && values.resource_name !== undefined),
  );
  return [next ?? 'billing_dimension'];
}
