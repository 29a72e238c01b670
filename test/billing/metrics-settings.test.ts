// The metrics settings for clients: the available parameters, and the time of the latest usage.
import { databaseOf } from '../../src/auth/context.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { getDataThrough } from '../../src/billing/data-through.js';
import { amendUsage, voidUsage } from '../../src/metering/usage-adjustments.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, useApp } from '../harness.js';
import { askAccount } from './graphql-samples.js';
import { contextOf, createOwner } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';

const running = useApp();
let owner: Owner;

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main']);
});

const fieldOf = async (name: string, fields = '') => {
  const { body } = await askAccount(running.app, owner, `${name} ${fields}`);
  expect(body.errors).toBeUndefined();
  return body.data.account[name];
};

describe('metricsSettings', () => {
  it('contain the twelve billing dimensions of the specification with resource type and unit', async () => {
    const { billingDimensions } = await fieldOf('metricsSettings', '{ billingDimensions { name resourceTypes unit } }');
    const rows = billingDimensions.map((each: Record<string, unknown>) => [
      each['name'],
      each['resourceTypes'],
      each['unit'],
    ]);
    expect(rows).toEqual([
      ['sandbox_compute_runtime_gbs', ['sandbox'], 'gbs'],
      ['sandbox_image_storage_gbs', ['sandbox'], 'gbs'],
      ['sandbox_snapshot_storage_gbs', ['sandbox'], 'gbs'],
      ['agent_compute_runtime_gbs', ['agent'], 'gbs'],
      ['agent_image_storage_gbs', ['agent'], 'gbs'],
      ['agent_async_requests_count', ['agent'], 'count'],
      ['job_compute_runtime_gbs', ['job'], 'gbs'],
      ['job_image_storage_gbs', ['job'], 'gbs'],
      ['mcp_server_compute_runtime_gbs', ['mcp_server'], 'gbs'],
      ['mcp_server_image_storage_gbs', ['mcp_server'], 'gbs'],
      ['volume_storage_gbs', ['volume'], 'gbs'],
      ['custom_domain_active_time_hours', ['custom_domain'], 'hours'],
    ]);
  });

  it('contain the resolutions with their maximum window, and the limits', async () => {
    const fields = '{ resolutions { name windowMax } groupBy groupByMax limitDefault limitMax }';
    expect(await fieldOf('metricsSettings', fields)).toEqual({
      resolutions: [
        { name: 'HOURLY', windowMax: '7 days' },
        { name: 'DAILY', windowMax: '90 days' },
        { name: 'WEEKLY', windowMax: '1 year' },
        { name: 'MONTHLY', windowMax: null },
      ],
      groupBy: ['WORKSPACE', 'RESOURCE_TYPE', 'RESOURCE_NAME', 'RESOURCE_UUID', 'BILLING_DIMENSION'],
      groupByMax: 3,
      limitDefault: 100,
      limitMax: 100,
    });
  });

  it('use the words of the API parameters', async () => {
    const { billingDimensions, groupBy } = await fieldOf('metricsSettings', '{ billingDimensions { name } groupBy }');
    const window = 'startTime: "2026-11-01T00:00:00Z", endTime: "2026-11-02T00:00:00Z"';
    for (const words of [
      ...billingDimensions.map(({ name }: { name: string }) => `billingDimension: "${name}"`),
      ...groupBy.map((dimension: string) => `groupBy: [${dimension}]`),
    ]) {
      expect(await fieldOf(`metrics`, `(${window}, ${words}) { resolution }`)).toEqual({ resolution: 'HOURLY' });
    }
  });
});

describe('dataThrough', () => {
  const through = () => fieldOf('dataThrough');
  const arrive = (id: string, time: string) => recordUsage(owner.ctx, [usageEvent(0, { id, time })]);

  it('is null before the first event, and if none was valid', async () => {
    expect(await through()).toBeNull();
    await recordUsage(owner.ctx, [usageEvent(0, { cost: '-1' })]);
    expect(await through()).toBeNull();
  });

  it.each([
    ['the first', '2026-11-05T10:00:00Z', '2026-11-05T10:00:00.000Z'],
    ['a later one in the same hour', '2026-11-05T10:30:00.123456789Z', '2026-11-05T10:30:00.123456789Z'],
    ['one that is late by a nanosecond', '2026-11-05T10:30:00.123456788Z', '2026-11-05T10:30:00.123456789Z'],
    ['one that is late by months', '2026-01-01T23:59:59Z', '2026-11-05T10:30:00.123456789Z'],
    ['one of the next hour, with an offset', '2026-11-05T12:00:00+01:00', '2026-11-05T11:00:00.000Z'],
    ['one that is late by a part of an hour', '2026-11-05T10:59:59.999999999Z', '2026-11-05T11:00:00.000Z'],
  ])('is the time of the latest event, after %s', async (id, time, expected) => {
    expect(await arrive(id, time)).toEqual([{ outcome: 'accepted' }]);
    expect(await through()).toBe(expected);
    await rollUpUsage(databaseOf(owner.ctx), owner.ctx.usageMemory, owner.accountId, owner.ctx.now());
    expect(await through()).toBe(expected);
  });

  it('is the latest of a batch in any order', async () => {
    const times = ['2026-11-06T01:00:00Z', '2026-11-06T03:00:00Z', '2026-11-06T02:59:59.999999999Z'];
    await recordUsage(
      owner.ctx,
      times.map((time) => usageEvent(0, { id: time, time })),
    );
    expect(await through()).toBe('2026-11-06T03:00:00.000Z');
  });

  it.each([
    { of: 'all workspaces', workspaceId: () => undefined },
    { of: 'one workspace', workspaceId: () => owner.tenant.workspaces['main'] },
  ])(
    'is not the time of an event that was voided or amended, with a credential of $of',
    async ({ of, workspaceId }) => {
      const id = workspaceId();
      const { key } = await createKey(running.app, { ...owner.tenant, ...(id !== undefined && { workspaceId: id }) });
      const ctx = await contextOf(running.app, key);
      const place = { account: 'northwind', reason: 'The clock of the meter was wrong.' };
      const [wrong, before] = ['2026-11-07T09:30:00.5Z', '2026-11-06T03:00:00Z'];
      await arrive(`voided ${of}`, wrong);
      expect(await getDataThrough(ctx, owner.accountId)).toBe('2026-11-07T09:30:00.500Z');
      await voidUsage(owner.ctx, { ...place, source: 'meter', ids: [`voided ${of}`] });
      expect(await getDataThrough(ctx, owner.accountId)).toBe(before);
      await arrive(`amended ${of}`, wrong);
      const events = [usageEvent(0, { id: `amended ${of}`, time: '2026-11-06T02:00:00Z' })];
      await amendUsage(owner.ctx, { ...place, events });
      expect(await getDataThrough(ctx, owner.accountId)).toBe(before);
    },
  );

  it('ignores conflicts and other accounts', async () => {
    const other = await createOwner(running.app, 'southwind', ['south']);
    const late = { account: 'southwind', workspace: 'south', time: '2026-11-19T00:00:00Z' };
    await recordUsage(other.ctx, [usageEvent(0, late)]);
    const [result] = await arrive('the first', '2026-11-18T00:00:00Z');
    expect(result?.outcome).toBe('conflict');
    expect(await through()).toBe('2026-11-06T03:00:00.000Z');
  });
});
