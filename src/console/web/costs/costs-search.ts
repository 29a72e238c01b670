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
  by?: Dimension[];
  resolution?: Resolution;
  /** The time zone; UTC if omitted. */
  zone?: string;
  workspace?: string;
  type?: string;
  name?: string;
  dimension?: string;
  compare?: boolean;
}

/** A partial update; undefined removes a value. */
export type CostsChange = { [Name in keyof CostsSearch]?: CostsSearch[Name] | undefined };

export function costsSearch(search: SearchText): CostsSearch {
  const [from, to] = [timeIn(search, 'from'), timeIn(search, 'to')];
  const by = dimensionsIn(search['by']);
  const resolution = textIn(search, 'resolution');
  const zone = zoneOf(textIn(search, 'zone'));
  const [workspace, type] = [textIn(search, 'workspace'), textIn(search, 'type')];
  const [name, dimension] = [textIn(search, 'name'), textIn(search, 'dimension')];
  return {
    ...(from !== undefined && to !== undefined && from < to ? { from, to } : {}),
    ...(by.length === 0 ? {} : { by }),
    ...(resolution !== undefined && isResolution(resolution) ? { resolution } : {}),
    ...(zone.isUtc ? {} : { zone: zone.name }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(type === undefined ? {} : { type }),
    ...(name === undefined ? {} : { name }),
    ...(dimension === undefined ? {} : { dimension }),
    ...(search['compare'] === true ? { compare: true } : {}),
  };
}

/** Reads a list or comma-separated text: `?by=workspace,resource_type`. */
function dimensionsIn(value: unknown): Dimension[] {
  const list: readonly unknown[] = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  return dimensionNames.filter((name) => list.includes(name)).slice(0, 3);
}

export function isResolution(text: string): text is Resolution {
  return Object.hasOwn(resolutions, text);
}
