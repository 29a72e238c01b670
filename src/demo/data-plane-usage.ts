// The usage of the resources that the simulated data plane runs: the rates per second, and the events of a period. The
// id of an event consists of the resource and the start of the period, so that a repeated event counts once.
import { createHash } from 'node:crypto';
import type { BillingDimension } from '../metering/dimensions.js';
import { billingDimensions } from '../metering/dimensions.js';
import type { UsageField } from '../metering/usage-shape.js';
import { pricedUsage } from './prices.js';
import type { DemoAssignment } from './data-plane-steps.js';
import { hourMs } from './times.js';

/** A running or stored resource, and its usage rates. */
export interface Metered {
  /** UUID of the resource. */
  id: string;
  /** UUID of the account. */
  account: string;
  workspace: string;
  name: string;
  rates: { billingDimension: BillingDimension; perSecond: number }[];
  /** The end of the last measurement (Unix time, ms). */
  until: number;
}

export type MeteredEvent = Record<UsageField, string>;

const source = 'demo-data-plane';

/** The default memory. */
const memoryMb = 2_048;

/** The share of each second for which an agent is active that can scale to zero. */
const wakefulShare = 0.15;

/** The usage rates of a resource; undefined for a resource without usage. */
export function meteredFrom(assignment: DemoAssignment, isOn: boolean, at: number): Metered {
  const { resourceId: id, accountId: account, workspaceName: workspace, desired } = assignment;
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

/** Between half a gigabyte and two gigabytes. */
function imageOf(billingDimension: BillingDimension, resourceId: string): Metered['rates'][number] {
  const chance = createHash('sha256').update(resourceId).digest().readUInt8(0);
  return { billingDimension, perSecond: 0.5 + (chance % 16) / 10 };
}

/** The usage since the last measurement, with an event for each hour. The amounts add up exactly. */
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

/** The usage of a run of a task, or of an agent that its trigger started. @param run a unique id of the run */
export function usageOfRun(assignment: DemoAssignment, run: string, from: number, to: number): MeteredEvent[] {
  const { kind, accountId: account, workspaceName: workspace, resourceId, desired } = assignment;
  const { name, id = resourceId } = desired.metadata;
  const gigabytes = (desired.spec.runtime?.memory ?? memoryMb) / 1_024;
  const dimension = kind === 'AGENT_INVOCATION' ? 'agent_compute_runtime_gbs' : 'job_compute_runtime_gbs';
  return eventOf({ id, account, workspace, name }, dimension, run, from, (gigabytes * (to - from)) / 1_000);
}

function eventOf(
  { id, account, workspace, name }: Omit<Metered, 'rates' | 'until'>,
  billingDimension: BillingDimension,
  subject: string,
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
      id: `${subject} ${billingDimension} ${time}`,
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
