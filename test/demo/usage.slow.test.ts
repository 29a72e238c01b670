// The demo's year of usage as a bill shows it.
import { describe, expect, it } from 'vitest';
import { demoAgents } from '../../src/demo/agents.js';
import { demoAccounts, demoWorkspaces } from '../../src/demo/company.js';
import { deletedResources } from '../../src/demo/deleted.js';
import { usualAgentCount } from '../../src/demo/documents.js';
import { idleSandbox } from '../../src/demo/meters.js';
import { demoPlatform } from '../../src/demo/platform.js';
import { demoUsage } from '../../src/demo/usage.js';
import type { DemoUsageEvent } from '../../src/demo/usage.js';
import { incidentDay } from '../../src/demo/usage-shape.js';
import { billingDimensions } from '../../src/metering/dimensions.js';
import { latestUsageTime, usageEventFrom } from '../../src/metering/usage-event.js';

const end = new Date('2026-11-20T12:00:00.000Z');
const events = [...demoUsage('meridian-freight', end, end)].flat();
const computed = events.filter(({ billingDimension }) => billingDimension.endsWith('_runtime_gbs'));

function costOf(some: DemoUsageEvent[]): number {
  return some.reduce((sum, { cost }) => sum + Number(cost), 0);
}

function between(from: string, to: string, some = events): DemoUsageEvent[] {
  return some.filter(({ time }) => time >= from && time < to);
}

describe('The usage of the demo', () => {
  it('is the same for the same end, and partly the same for a later start', () => {
    expect([...demoUsage('meridian-freight', end, end)].flat()).toEqual(events);
    const from = new Date('2026-11-18T15:00:00.000Z');
    const rest = [...demoUsage('meridian-freight', end, end, { from })].flat();
    expect(rest).toEqual(between(from.toISOString(), end.toISOString()));
  });

  it('continues after the end without changes before it', () => {
    const later = new Date(end.getTime() + 30 * 86_400_000);
    const more = [...demoUsage('meridian-freight', end, later, { from: end })].flat();
    const times = more.map(({ time }) => time).toSorted();
    expect(times[0]).toBe(end.toISOString());
    expect(times.at(-1)).toBe('2026-12-20T11:00:00.000Z');
    const known = new Set(events.map(({ id }) => id));
    expect(more.filter(({ id }) => known.has(id))).toEqual([]);
  });

  it('consists of valid events with unique ids, in the order of time', () => {
    expect(
      events.filter((event) => 'rule' in usageEventFrom(event, latestUsageTime(new Date('2026-12-21T00:00:00Z')))),
    ).toEqual([]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    const spans = events.map(({ id }) => id.slice(0, 13));
    expect(spans).toEqual(spans.toSorted());
  });

  it('covers a year up to the end with all billing dimensions', () => {
    const times = events.map(({ time }) => time).toSorted();
    expect(times[0]).toBe('2025-11-20T00:00:00.000Z');
    expect(times.at(-1)).toBe('2026-11-20T11:00:00.000Z');
    const dimensions = new Set(events.map(({ billingDimension }) => billingDimension));
    expect([...dimensions].toSorted()).toEqual(Object.keys(billingDimensions).toSorted());
  });

  it('covers every hour of the last seven days', () => {
    const hours = new Set(between('2026-11-13T12', '2026-11-20T12').map(({ time }) => time));
    expect(hours.size).toBe(7 * 24);
  });

  it('grows over the year, and falls at weekends', () => {
    const months = ['2025-12', '2026-03', '2026-06', '2026-10'].map((month) => costOf(between(month, `${month}-99`)));
    expect(months).toEqual(months.toSorted((one, other) => one - other));
    const sunday = costOf(between('2026-11-08', '2026-11-09', computed));
    expect(sunday).toBeLessThan(costOf(between('2026-11-10', '2026-11-11', computed)) / 2);
  });

  it('has one most expensive day, for the work on invoices only', () => {
    const days = new Map<string, number>();
    for (const event of between('2026-08-25', '2026-11-20')) {
      const day = event.time.slice(0, 10);
      days.set(day, (days.get(day) ?? 0) + Number(event.cost));
    }
    const [mostExpensive] = [...days].toSorted(([, one], [, other]) => other - one);
    expect(mostExpensive?.[0]).toBe(incidentDay(end).toISOString().slice(0, 10));
    const rest = computed.filter(({ resourceName }) => !resourceName.startsWith('invoice-'));
    const [incident, weekBefore] = ['2026-10-13', '2026-10-06'].map((day) => costOf(between(day, `${day}T99`, rest)));
    expect((incident ?? 0) / (weekBefore ?? 1)).toBeLessThan(1.3);
  });

  it('contains only storage for a forgotten sandbox', () => {
    const idle = events.filter(
      ({ resourceName, workspace }) => resourceName === idleSandbox && workspace === 'meridian-production',
    );
    expect([...new Set(idle.map(({ billingDimension }) => billingDimension))].toSorted()).toEqual([
      'sandbox_image_storage_gbs',
      'sandbox_snapshot_storage_gbs',
    ]);
    expect(costOf(idle)).toBeGreaterThan(1);
  });

  it('names agents, sandboxes, jobs and volumes that exist or were deleted, from their creation onwards', () => {
    const made = new Map<string, string>();
    for (const workspace of demoWorkspaces) {
      const agents = [...demoAgents(workspace, usualAgentCount(workspace), end)];
      const { sandboxes, jobs, volumes } = demoPlatform(workspace, agents, end);
      for (const { id = '', metadata } of [...agents, ...sandboxes, ...jobs, ...volumes]) {
        made.set(`${id} ${metadata.name}`, metadata.createdAt ?? '');
      }
    }
    for (const { input } of deletedResources(end))
      made.set(`${input.id} ${input.metadata.name}`, input.metadata.createdAt);
    const usual = events.filter(({ resourceType }) => ['agent', 'sandbox', 'job', 'volume'].includes(resourceType));
    const unknown = usual.filter(({ resourceUuid, resourceName }) => !made.has(`${resourceUuid} ${resourceName}`));
    expect([...new Set(unknown.map(({ resourceName }) => resourceName))]).toEqual([]);
    // An event for a week covers its days, without those before the resource.
    const early = usual.filter(({ id, resourceUuid, resourceName }) => {
      const createdAt = made.get(`${resourceUuid} ${resourceName}`);
      return createdAt !== undefined && id.slice(0, 13) <= createdAt.slice(0, 13);
    });
    expect(early).toEqual([]);
  });

  it('has no instance id only for custom domains', () => {
    const empty = events.filter(({ resourceUuid }) => resourceUuid === '');
    expect(new Set(empty.map(({ resourceType }) => resourceType))).toEqual(new Set(['custom_domain']));
  });

  it('differs between accounts', () => {
    for (const { name, workspaces } of demoAccounts) {
      const [first = []] = demoUsage(name, end, end);
      expect(first.length).toBeGreaterThan(0);
      expect(first.filter(({ account, workspace }) => account !== name || !workspaces.includes(workspace))).toEqual([]);
    }
  });
});
