// Account metrics by a plain recount of every event, independent of the service's code.
import { textFromInstant } from '../../src/metering/instant.js';

export interface PlainEvent {
  source: string;
  id: string;
  account: string;
  workspace: string;
  resourceType: string;
  resourceName: string;
  resourceUuid?: string;
  billingDimension: string;
  time: string;
  usage: string;
  cost: string;
}

export interface PlainQuery {
  startTime: string;
  endTime: string;
  resolution: 'hourly' | 'daily' | 'weekly' | 'monthly';
  groupBy: string[];
  filters: Partial<Record<'workspace' | 'resourceType' | 'resourceName' | 'resourceUuid' | 'billingDimension', string>>;
}

export interface PlainEntry {
  key: string[];
  fields: Record<string, string>;
  cost: bigint;
  usage: bigint;
  timeseries: { timestamp: string; cost: bigint; usage: bigint }[];
}

const fieldOf: Record<string, keyof PlainEvent> = {
  workspace: 'workspace',
  resource_type: 'resourceType',
  resource_name: 'resourceName',
  resource_uuid: 'resourceUuid',
  billing_dimension: 'billingDimension',
};

const enriched: Record<string, string[]> = {
  workspace: ['resource_uuid', 'resource_name'],
  resource_type: ['resource_uuid', 'resource_name', 'billing_dimension'],
  resource_name: ['resource_uuid'],
  resource_uuid: [],
  billing_dimension: [],
};

const keyOrder = ['resource_uuid', 'resource_name', 'workspace', 'resource_type', 'billing_dimension'];

/** Nanoseconds since 1970. */
export function nanos(text: string): bigint {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const whole = Date.parse(text.replace(/\.\d+/, ''));
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

export function units(decimal: string, digits: number): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole + fraction.padEnd(digits, '0'));
}

function bucketStart(resolution: PlainQuery['resolution'], nano: bigint): number {
  const date = new Date(Number(nano / 1_000_000n));
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  if (resolution === 'hourly') return Date.UTC(year, month, day, date.getUTCHours());
  if (resolution === 'daily') return Date.UTC(year, month, day);
  if (resolution === 'monthly') return Date.UTC(year, month);
  return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
}

function next(resolution: PlainQuery['resolution'], start: number): number {
  const date = new Date(start);
  if (resolution === 'hourly') return start + 3_600_000;
  if (resolution === 'daily') return start + 86_400_000;
  if (resolution === 'weekly') return start + 7 * 86_400_000;
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}

/** All groups in the order of their keys. */
export function recount(events: readonly PlainEvent[], query: PlainQuery): PlainEntry[] {
  const [from, to] = [nanos(query.startTime), nanos(query.endTime)];
  const dimensions = keyOrder.filter((dimension) => query.groupBy.includes(dimension));
  const inScope = events.filter((event) => {
    const at = nanos(event.time);
    const entries = Object.entries(query.filters);
    const passes = entries.every(([field, value]) => new Map(Object.entries(event)).get(field) === value);
    return at >= from && at < to && passes;
  });
  const groups = new Map<string, { key: string[]; events: PlainEvent[] }>();
  if (dimensions.length === 0) groups.set('[]', { key: [], events: [] });
  for (const event of inScope) {
    const key = dimensions.map((dimension) => valueOf(event, dimension));
    const group = groups.get(JSON.stringify(key)) ?? { key, events: [] };
    groups.set(JSON.stringify(key), group);
    group.events.push(event);
  }
  const starts: number[] = [];
  for (let at = bucketStart(query.resolution, from); BigInt(at) * 1_000_000n < to; at = next(query.resolution, at)) {
    starts.push(at);
  }
  const compare = (one: string[], other: string[]) =>
    one.reduce(
      (found, value, place) => found || Buffer.compare(Buffer.from(value), Buffer.from(other[place] ?? '')),
      0,
    );
  return [...groups.values()]
    .toSorted((one, other) => compare(one.key, other.key))
    .map(({ key, events: own }) => {
      const fields: Record<string, string> = {};
      for (const dimension of keyOrder) {
        const values = new Set(own.map((event) => valueOf(event, dimension)));
        const isEnriched = enriched[dimension]?.some((cause) => query.groupBy.includes(cause)) ?? false;
        const [value] = values;
        if ((query.groupBy.includes(dimension) || isEnriched) && values.size === 1 && value !== undefined) {
          fields[fieldOf[dimension] ?? ''] = value;
        }
      }
      return {
        key,
        fields,
        cost: sum(own, 'cost', 9),
        usage: sum(own, 'usage', 6),
        timeseries: starts.map((start) => {
          const inside = own.filter((event) => bucketStart(query.resolution, nanos(event.time)) === start);
          const timestamp = textFromInstant({ hour: start / 3_600_000, nano: 0 });
          return { timestamp, cost: sum(inside, 'cost', 9), usage: sum(inside, 'usage', 6) };
        }),
      };
    });
}

function valueOf(event: PlainEvent, dimension: string): string {
  return event[fieldOf[dimension] ?? 'workspace'] ?? '';
}

function sum(events: readonly PlainEvent[], field: 'cost' | 'usage', digits: number): bigint {
  return events.reduce((total, event) => total + units(event[field], digits), 0n);
}
