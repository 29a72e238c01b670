// The two lists of words: the dimensions, always the same; and the resource types of a window, exact at its edges.
import { databaseOf } from '../../src/auth/context.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { rest, useApp } from '../harness.js';
import { createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';

const running = useApp();
let owner: Owner;

/** Each type has one moment, some of them several. Of the raw types, which anything may be, some sort strangely. */
const moments: Record<string, string[]> = {
  sandbox: ['2026-11-01T00:00:00Z', '2026-11-01T09:30:00Z'],
  agent: ['2026-10-31T23:59:59.999999999Z'],
  Zebra: ['2026-11-01T12:00:00.000000001Z', '2026-11-10T00:00:00Z'],
  mcp_server: ['2026-11-01T12:00:00Z'],
  ünder: ['2026-11-01T10:15:00Z'],
  free: ['2026-11-01T11:00:00Z'],
};

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main']);
  const events = Object.entries(moments).flatMap(([resourceType, times]) =>
    times.map((time) =>
      usageEvent(0, {
        id: `${resourceType} ${time}`,
        resourceType,
        time,
        ...(resourceType === 'free' && { cost: '0', usage: '0' }),
      }),
    ),
  );
  await recordUsage(owner.ctx, events.slice(0, 4));
  await rollUpUsage(databaseOf(owner.ctx), owner.ctx.usageMemory, owner.accountId, owner.ctx.now());
  await recordUsage(owner.ctx, events.slice(4));
});

const valuesOf = async (path: string, { accountId, key } = owner) => {
  const { status, body } = await rest(running.app, `/accounts/${accountId}/metrics/enums/${path}`, { key });
  expect(status).toBe(200);
  return body;
};

describe('Resource types', () => {
  it.each([
    ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', ['Zebra', 'free', 'mcp_server', 'sandbox', 'ünder']],
    ['2026-10-01T00:00:00Z', '2026-12-01T00:00:00Z', ['Zebra', 'agent', 'free', 'mcp_server', 'sandbox', 'ünder']],
    // Events at the end are not in the window, and events at the start are.
    ['2026-11-01T00:00:00Z', '2026-11-01T00:00:00.000000001Z', ['sandbox']],
    ['2026-11-01T00:00:00.000000001Z', '2026-11-01T09:30:00Z', []],
    ['2026-10-31T23:59:59.999999999Z', '2026-11-01T00:00:00Z', ['agent']],
    ['2026-11-01T12:00:00Z', '2026-11-01T12:00:00.000000001Z', ['mcp_server']],
    ['2026-11-01T12:00:00.000000001Z', '2026-11-01T12:00:00.000000002Z', ['Zebra']],
    ['2026-11-01T10:15:00.000000001Z', '2026-11-01T12:00:00Z', ['free']],
    ['2026-11-01T12:15:00+02:00', '2026-11-01T12:15:00.000000001+02:00', ['ünder']],
    ['2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z', []],
  ])('from %s to %s are %s', async (startTime, endTime, values) => {
    const words = new URLSearchParams({ startTime, endTime }).toString();
    expect(await valuesOf(`resource-types?${words}`)).toEqual({ values });
  });

  it('are empty for an account without usage', async () => {
    const empty = await createOwner(running.app, 'empty', ['empty-main']);
    const day = 'startTime=2026-11-01T00:00:00Z&endTime=2026-11-02T00:00:00Z';
    expect(await valuesOf(`resource-types?${day}`, empty)).toEqual({ values: [] });
  });

  it('include those that have just arrived', async () => {
    await recordUsage(owner.ctx, [usageEvent(1, { resourceType: 'job', time: '2025-12-24T00:00:00Z' })]);
    const month = 'startTime=2025-12-01T00:00:00Z&endTime=2026-01-01T00:00:00Z';
    expect(await valuesOf(`resource-types?${month}`)).toEqual({ values: ['job'] });
  });
});

describe('Dimensions', () => {
  it('are the five of the specification, in its order', async () => {
    expect(await valuesOf('group-by')).toEqual({
      values: ['workspace', 'resource_type', 'resource_name', 'resource_uuid', 'billing_dimension'],
    });
  });
});
