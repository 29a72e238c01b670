import { labelFiltersIn } from '../lists/label-filter.js';
import type { SearchText } from '../lists/search-text.js';
import { textIn, timeIn } from '../lists/search-text.js';
import { zoneOf } from './zone.js';

/** The dimensions to group by, by their value in the URL. */
export const dimensions = {
  resource_type: { label: 'resource type', value: 'RESOURCE_TYPE' },
  workspace: { label: 'workspace', value: 'WORKSPACE' },
  resource_name: { label: 'resource', value: 'RESOURCE_NAME' },
  billing_dimension: { label: 'billing dimension', value: 'BILLING_DIMENSION' },
  resource_uuid: { label: 'instance', value: 'RESOURCE_UUID' },
} as const;

export type Dimension = keyof typeof dimensions;

export const dimensionNames = [
  'resource_type',
  'workspace',
  'resource_name',
  'billing_dimension',
  'resource_uuid',
] as const satisfies readonly Dimension[];

/** What costs can be grouped by: a dimension, or a label by its key, such as "label:team". */
export type Grouping = Dimension | `label:${string}`;

const labelPrefix = 'label:';
const groupedDimensionsMax = 3;
/** The number of labels to group by. */
export const groupedLabelsMax = 2;
/** The number of different labels in a query. */
const labelFiltersMax = 4;

export function labelGrouping(key: string): Grouping {
  return `label:${key}`;
}

/** The key of the label; undefined for a dimension. */
export function labelKeyOf(grouping: string): string | undefined {
  return grouping.startsWith(labelPrefix) ? grouping.slice(labelPrefix.length) : undefined;
}

/** The name of a grouping, such as "resource type". */
export function groupingText(grouping: Grouping): string {
  return isDimension(grouping) ? dimensions[grouping].label : (labelKeyOf(grouping) ?? '');
}

/** Whether the groups can have one more grouping of this kind. */
export function canGroupBy(by: readonly Grouping[], grouping: Grouping): boolean {
  const isLabel = labelKeyOf(grouping) !== undefined;
  const count = by.filter((each) => (labelKeyOf(each) !== undefined) === isLabel).length;
  return count < (isLabel ? groupedLabelsMax : groupedDimensionsMax);
}

export function isDimension(name: string): name is Dimension {
  return Object.hasOwn(dimensions, name);
}

export const resolutions = {
  hourly: { label: 'Hourly', value: 'HOURLY', daysMax: 7 },
  daily: { label: 'Daily', value: 'DAILY', daysMax: 90 },
  weekly: { label: 'Weekly', value: 'WEEKLY', daysMax: 365 },
  monthly: { label: 'Monthly', value: 'MONTHLY', daysMax: Infinity },
} as const;

export type Resolution = keyof typeof resolutions;

/** The state of the costs view in the URL. Times are absolute, so that a link shows the same costs later. */
export interface CostsSearch {
  from?: string;
  to?: string;
  by?: Grouping[];
  resolution?: Resolution;
  /** The time zone; UTC if omitted. */
  zone?: string;
  workspace?: string;
  type?: string;
  name?: string;
  dimension?: string;
  /** Conditions on labels, such as "team:search". */
  label?: string[];
  compare?: boolean;
}

/** A partial update; undefined removes a value. */
export type CostsChange = { [Name in keyof CostsSearch]?: CostsSearch[Name] | undefined };

export function costsSearch(search: SearchText): CostsSearch {
  const [from, to] = [timeIn(search, 'from'), timeIn(search, 'to')];
  const by = groupingsIn(search['by']);
  const resolution = textIn(search, 'resolution');
  const zone = zoneOf(textIn(search, 'zone'));
  const [workspace, type] = [textIn(search, 'workspace'), textIn(search, 'type')];
  const [name, dimension] = [textIn(search, 'name'), textIn(search, 'dimension')];
  const label = labelFiltersIn(search['label'], labelFiltersMax);
  return {
    ...(from !== undefined && to !== undefined && from < to ? { from, to } : {}),
    ...(by.length === 0 ? {} : { by }),
    ...(resolution !== undefined && isResolution(resolution) ? { resolution } : {}),
    ...(zone.isUtc ? {} : { zone: zone.name }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(type === undefined ? {} : { type }),
    ...(name === undefined ? {} : { name }),
    ...(dimension === undefined ? {} : { dimension }),
    ...(label.length === 0 ? {} : { label }),
    ...(search['compare'] === true ? { compare: true } : {}),
  };
}

/** Reads a list or comma-separated text: `?by=workspace,resource_type`. Labels come first. */
function groupingsIn(value: unknown): Grouping[] {
  const list: readonly unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  const labels = list.filter((each): each is Grouping => typeof each === 'string' && /^label:./.test(each));
  return [
    ...[...new Set(labels)].slice(0, groupedLabelsMax),
    ...dimensionNames.filter((name) => list.includes(name)).slice(0, groupedDimensionsMax),
  ];
}

export function isResolution(text: string): text is Resolution {
  return Object.hasOwn(resolutions, text);
}
