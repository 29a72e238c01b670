// Events as meters send them: many resources, the hours of a day, an identity of chance; and the same events as
// rows of usage_event, in the text that COPY reads.
import { randomUUID } from 'node:crypto';
import { billingDimensions } from '../../src/metering/dimensions.js';
import { instantFromText } from '../../src/metering/instant.js';
import type { UsageField } from '../../src/metering/usage-shape.js';
import type { BenchAccount } from './generation.js';

export type GivenEvent = Record<UsageField, string>;

export const resourcesMetered = 2_000;

const dimensions = Object.entries(billingDimensions);
const minuteMs = 60_000;
const lastMs = Date.UTC(2026, 10, 20, 12);

/** Most of the last two hours, some a day late. */
export function eventsOf(account: Pick<BenchAccount, 'name' | 'workspaces'>, count: number): GivenEvent[] {
  const events = Array.from({ length: count }, (_, n): GivenEvent => {
    const resource = Math.floor(Math.random() * resourcesMetered);
    const [billingDimension, { resourceType }] = dimensions[resource % dimensions.length] ?? raise();
    const minutes = n % 20 === 0 ? Math.floor(Math.random() * 1_440) : Math.floor(Math.random() * 120);
    return {
      source: 'meter-eu-1',
      id: randomUUID(),
      account: account.name,
      workspace: account.workspaces[resource % account.workspaces.length] ?? raise(),
      resourceType,
      resourceName: `${resourceType}-${resource}`,
      resourceUuid: `00000000-0000-4000-8000-${String(resource).padStart(12, '0')}`,
      billingDimension,
      time: new Date(lastMs - minutes * minuteMs + (n % minuteMs)).toISOString(),
      usage: `${resource}.${String(n % 1_000_000).padStart(6, '0')}`,
      cost: `0.${String((n * 7_919) % 1_000_000_000).padStart(9, '0')}`,
    };
  });
  // As a request is parsed: V8 joins the parts of a concatenated text only when it is first read, which is not to be measured.
  return JSON.parse(JSON.stringify(events));
}

/** The series stands as a number, as it does in the row of an event. */
export function copyText(accountId: string, events: readonly GivenEvent[]): string {
  const lines = events.map(({ source, id, resourceName, time, usage, cost }) => {
    const instant = instantFromText(time);
    if ('rule' in instant) throw new Error(instant.rule);
    const series = resourceName.replace(/.*-/, '');
    const amounts = `${usage.replace('.', '')}\t${cost.replace('0.', '')}`;
    return `${accountId}\t${source}\t${id}\t${series}\t${instant.nano}\t${amounts}\t${instant.hour}\n`;
  });
  return lines.join('');
}

function raise(): never {
  throw new RangeError('there is no such element');
}
