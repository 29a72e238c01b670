// What is billed of what the simulated data plane runs: how much of it a second, and the events that tell of a stretch of
// time. They are told apart by what is measured and when that began, so that sending one again counts nothing.
import { createHash } from 'node:crypto';
import type { BillingDimension } from '../metering/dimensions.js';
import { billingDimensions } from '../metering/dimensions.js';
import type { UsageField } from '../metering/usage-shape.js';
import { pricedUsage } from './prices.js';
import type { DemoAssignment } from './data-plane-steps.js';
import { hourMs } from './times.js';

/** Something that runs or is kept, and what of it is billed. */
export interface Metered {
  /** UUID of the resource. */
  id: string;
  /** UUID of the account. */
  account: string;
  workspace: string;
  name: string;
  rates: { billingDimension: BillingDimension; perSecond: number }[];
  /** Until when it is measured: milliseconds of the clock. */
  until: number;
}

export type MeteredEvent = Record<UsageField, string>;

const source = 'demo-data-plane';

/** The memory of what names none. */
const memoryMb = 2_048;

/** The part of a second for which an agent runs that may rest, and is asked something now and then. */
const wakefulShare = 0.15;

/** What a resource takes by itself from then on; nothing for what nobody is billed for. */
export function meteredFrom(assignment: DemoAssignment, isOn: boolean, at: number): Metered {
  const { resourceId: id, account, workspace, desired } = assignment;
  return { id, account, workspace, name: desired.metadata.name, rates: ratesOf(assignment, isOn), until: at };
}

function ratesOf({ kind, resourceId, desired: { spec } }: DemoAssignment, isOn: boolean): Metered['rates'] {
  const gigabytes = (spec.runtime?.memory ?? memoryMb) / 1_024;
  switch (kind) {
    case 'AGENT': {
      const perSecond = gigabytes * Math.max(spec.runtime?.minScale ?? 0, wakefulShare);
      const runtime = { billingDimension: 'agent_compute_runtime_gbs', perSecond } as const;
      return [...(isOn ? [runtime] : []), imageOf('agent_image_storage_gbs', resourceId)];
    }
    case 'SANDBOX': {
      const runtime = { billingDimension: 'sandbox_compute_runtime_gbs', perSecond: gigabytes } as const;
      return [...(isOn ? [runtime] : []), imageOf('sandbox_image_storage_gbs', resourceId)];
    }
    case 'JOB':
      return [imageOf('job_image_storage_gbs', resourceId)];
    case 'VOLUME':
      return [{ billingDimension: 'volume_storage_gbs', perSecond: (spec.sizeMb ?? 0) / 1_024 }];
    default:
      return [];
  }
}

/** Between half a gigabyte and two. */
function imageOf(billingDimension: BillingDimension, resourceId: string): Metered['rates'][number] {
  const chance = createHash('sha256').update(resourceId).digest().readUInt8(0);
  return { billingDimension, perSecond: 0.5 + (chance % 16) / 10 };
}

/** The usage since it was last measured, in a stretch for each hour; the amounts of all of them are those of the whole. */
export function usageUntil({ rates, until, ...thing }: Metered, at: number): MeteredEvent[] {
  const events: MeteredEvent[] = [];
  for (let from = until; from < at;) {
    const to = Math.min(at, (Math.floor(from / hourMs) + 1) * hourMs);
    for (const { billingDimension, perSecond } of rates)
      events.push(...eventOf(thing, billingDimension, thing.id, from, (perSecond * (to - from)) / 1_000));
    from = to;
  }
  return events;
}

/** The usage of a run of a task, or of an agent that its trigger woke. @param run what no other run is called. */
export function usageOfRun(assignment: DemoAssignment, run: string, from: number, to: number): MeteredEvent[] {
  const { kind, account, workspace, resourceId, desired } = assignment;
  const { name, id = resourceId } = desired.metadata;
  const gigabytes = (desired.spec.runtime?.memory ?? memoryMb) / 1_024;
  const dimension = kind === 'AGENT_INVOCATION' ? 'agent_compute_runtime_gbs' : 'job_compute_runtime_gbs';
  return eventOf({ id, account, workspace, name }, dimension, run, from, (gigabytes * (to - from)) / 1_000);
}

function eventOf(
  { id, account, workspace, name }: Omit<Metered, 'rates' | 'until'>,
  billingDimension: BillingDimension,
  what: string,
  from: number,
  amount: number,
): MeteredEvent[] {
  const priced = pricedUsage(billingDimension, amount);
  if (Number(priced.usage) === 0) return [];
  const time = new Date(from).toISOString();
  const { resourceType } = billingDimensions[billingDimension];
  return [
    {
      source,
      id: `${what} ${billingDimension} ${time}`,
      account,
      workspace,
      resourceType,
      resourceName: name,
      resourceUuid: id,
      billingDimension,
      time,
      ...priced,
    },
  ];
}
