// Account metrics as charges in the columns of FOCUS, over HTTP and with the command line: complete and without
// duplicates.
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/run.js';
import { parse } from 'csv-parse/sync';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, useApp } from '../harness.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';
import { keyOfSomebody } from '../resources/mutations.js';
import { brokenRules } from './focus-rules.js';
import { recount, units } from './recount.js';

const running = useApp({ SERVICE_NAME: 'Harbour' });
let owner: Owner;
const events = mixedUsage(900, 'northwind', ['main', 'side']);
const window = { startTime: '2026-10-02T10:20:30Z', endTime: '2026-11-19T08:09:10Z' };
const groupBy = ['resource_uuid', 'resource_name', 'workspace', 'resource_type', 'billing_dimension'];
const entries = recount(events, { ...window, resolution: 'daily', groupBy, filters: {} });

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  await recordUsage(owner.ctx, events);
});

async function exported(words: Record<string, string>, key = owner.key, accept = 'text/csv') {
  const query = new URLSearchParams({ ...window, profile: 'focus', ...words });
  const response = await fetch(`${running.app.origin}/v0/accounts/${owner.accountId}/metrics?${query.toString()}`, {
    headers: { authorization: `Bearer ${key}`, accept },
  });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** A resource without an id has its name as id. */
function focusKey([id = '', name = '', workspace = '', type = '', sku = '']: readonly string[]): string[] {
  return [id === '' ? name : id, name, workspace, type, sku];
}

type Charge = Record<string, string>;

const chargesOf = (text: string): Charge[] => parse(text, { columns: true, record_delimiter: '\r\n' });

/** With a command line, whose standard output is returned. */
async function command(...argv: string[]): Promise<{ text: string; stderr: string; exitCode: number }> {
  let text = '';
  const standardOutput = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  const { stderr, exitCode } = await runCommandLine(
    { ...running.app.services, folder: '/nowhere', standardOutput },
    argv,
  );
  return { text, stderr, exitCode };
}

describe('Charges', () => {
  it('contain all usage exactly, each with workspace and time', async () => {
    const { status, type, text } = await exported({ resolution: 'daily' });
    expect([status, type]).toEqual([200, 'text/csv']);
    const charges = chargesOf(text);
    const told = charges.map((charge) =>
      [
        charge['ResourceId'],
        charge['ResourceName'],
        charge['SubAccountId'],
        charge['ResourceType'],
        charge['SkuId'],
        units(charge['BilledCost'] ?? '', 9),
        units(charge['ConsumedQuantity'] ?? '', 6),
      ].join('|'),
    );
    const active = entries.flatMap(({ key, timeseries }) =>
      timeseries
        .filter(({ cost, usage }) => cost !== 0n || usage !== 0n)
        .map(({ cost, usage }) => [...focusKey(key), cost, usage].join('|')),
    );
    expect(active.length).toBeGreaterThan(500);
    expect(told.toSorted()).toEqual(active.toSorted());
  });

  it('are complete after a resource whose labels changed often', async () => {
    const account = 'relabeled';
    const payer = await createOwner(running.app, account, [account]);
    const timeOf = (n: number) => new Date(Date.UTC(2026, 9, 10, n)).toISOString();
    await running.app.database.db.labelHistory.createMany({
      data: Array.from({ length: 150 }, (_each, n) => ({
        accountId: payer.accountId,
        resourceId: 'a',
        since: timeOf(n),
        workspace: account,
        resourceType: 'sandbox',
        name: 'a',
        labels: { turn: `${n}` },
        labelSetId: randomUUID(),
      })),
    });
    const resourceOf = (n: number) => (n < 150 ? 'a' : `b-${n}`);
    const given = Array.from({ length: 270 }, (_each, n) => {
      const of = { resourceName: resourceOf(n), resourceUuid: resourceOf(n), time: timeOf(n % 150) };
      return usageEvent(n, { account, workspace: account, ...of });
    });
    await recordUsage(payer.ctx, given);
    const query = new URLSearchParams({ ...window, profile: 'focus', resolution: 'monthly' });
    const address = `${running.app.origin}/v0/accounts/${payer.accountId}/metrics?${query.toString()}`;
    const headers = { authorization: `Bearer ${payer.key}`, accept: 'text/csv' };
    const charges = chargesOf(await (await fetch(address, { headers })).text());
    const told = charges.map((charge) => [
      charge['ResourceId'],
      JSON.parse(charge['Tags'] || '{}').turn,
      units(charge['BilledCost'] ?? '', 9),
    ]);
    const expected = given.map(({ resourceUuid, cost }, n) => [
      resourceUuid,
      n < 150 ? `${n}` : undefined,
      units(cost, 9),
    ]);
    expect(new Set(told.map((charge) => charge.join('|')))).toEqual(
      new Set(expected.map((charge) => charge.join('|'))),
    );
    expect(told).toHaveLength(expected.length);
  });

  it('follow the rules of FOCUS, in columns in alphabetical order', async () => {
    const charges = chargesOf((await exported({ resolution: 'daily' })).text);
    const columns = Object.keys(charges[0] ?? {});
    expect(columns).toEqual(columns.toSorted());
    expect(brokenRules(columns, charges)).toEqual([]);
    for (const charge of charges) {
      expect(charge).toMatchObject({
        BillingAccountId: owner.accountId,
        BillingAccountName: 'northwind',
        ChargeCategory: 'Usage',
        ProviderName: 'Harbour',
        InvoiceIssuerName: 'Harbour',
      });
      expect(charge['PricingUnit']).toBe(charge['ConsumedUnit']);
    }
  });

  it('are within the window, and each in one billing month', async () => {
    for (const resolution of ['daily', 'monthly']) {
      const charges = chargesOf((await exported({ resolution })).text);
      for (const charge of charges) {
        const [start, end, from, to] = [
          'ChargePeriodStart',
          'ChargePeriodEnd',
          'BillingPeriodStart',
          'BillingPeriodEnd',
        ].map((column) => Date.parse(charge[column] ?? ''));
        expect([start, end, from, to].some((time) => Number.isNaN(time))).toBe(false);
        expect(Number(start)).toBeGreaterThanOrEqual(Math.max(Number(from), Date.parse(window.startTime)));
        expect(Number(end)).toBeGreaterThan(Number(start));
        expect(Number(end)).toBeLessThanOrEqual(Math.min(Number(to), Date.parse(window.endTime)));
      }
      const sum = charges.reduce((total, charge) => total + units(charge['BilledCost'] ?? '', 9), 0n);
      expect(sum).toBe(entries.reduce((total, { cost }) => total + cost, 0n));
    }
  });

  it.each([
    [{ profile: 'aws' }, 'text/csv', 'profile'],
    [{}, 'application/json', 'profile'],
    [{}, 'application/x-ndjson', 'profile'],
    [{ groupBy: 'workspace' }, 'text/csv', 'groupBy'],
    [{ resolution: 'weekly' }, 'text/csv', 'resolution'],
    [{ timeZone: 'Europe/Berlin' }, 'text/csv', 'timeZone'],
    [{ timeZone: 'America/New_York', resolution: 'monthly' }, 'text/csv', 'timeZone'],
    [{ timeZone: 'Nowhere/Nowhere' }, 'text/csv', 'timeZone'],
    [{ raw: 'yes' }, 'text/csv', 'raw'],
    [{ startTime: 'soon' }, 'text/csv', 'startTime'],
  ])('requested by %j as %s return 400 with the invalid parameter', async (words, accept, field) => {
    const { status, text } = await exported(words, owner.key, accept);
    expect(status).toBe(400);
    expect(JSON.parse(text).message).toContain(field);
  });

  it.each(['UTC', 'Etc/UTC'])('can be requested in %s, which is the time zone of billing months', async (timeZone) => {
    const inUtc = await exported({ resolution: 'daily' });
    expect((await exported({ resolution: 'daily', timeZone })).text).toBe(inUtc.text);
  });

  it('are monthly if the window is too long for weeks', async () => {
    const { status, text } = await exported({ startTime: '2026-01-01T00:00:00Z', endTime: '2026-11-19T00:00:00Z' });
    expect(status).toBe(200);
    const periods = new Set(chargesOf(text).map((charge) => charge['ChargePeriodStart']));
    expect([...periods].every((start) => start?.endsWith('-01T00:00:00Z'))).toBe(true);
  });

  it('require an account admin, because they name workspaces', async () => {
    const member = await keyOfSomebody(running.app, owner.tenant, {
      account: 'member',
      workspace: 'main',
      role: 'member',
    });
    expect((await exported({}, member)).status).toBe(403);
    const { key } = await createKey(running.app, { ...owner.tenant, scope: 'agents:list' });
    expect((await exported({}, key)).status).toBe(403);
    const foreign = await createOwner(running.app, 'southwind', ['south']);
    expect((await exported({}, foreign.key)).status).toBe(403);
  });
});

describe('Credits', () => {
  it('are charges of their own category, without quantities, and part of the total', async () => {
    const { app } = running;
    const given = { unit: 'USD', kind: 'credit', description: 'Given back' } as const;
    await createBillingDimension(await platformContext(app.services), {
      ...given,
      name: 'goodwill',
      resourceTypes: ['sandbox'],
    });
    const payer = await createOwner(app, 'eastwind', ['east']);
    const used = usageEvent(1, { account: 'eastwind', workspace: 'east', time: '2026-11-03T10:00:00Z', cost: '4' });
    const back = { ...used, id: 'back', billingDimension: 'goodwill', usage: '-1', cost: '-1.000000001' };
    await recordUsage(payer.ctx, [used, back]);
    const query = new URLSearchParams({ ...window, profile: 'focus', resolution: 'daily' });
    const address = `${app.origin}/v0/accounts/${payer.accountId}/metrics?${query.toString()}`;
    const headers = { authorization: `Bearer ${payer.key}`, accept: 'text/csv' };
    const charges = chargesOf(await (await fetch(address, { headers })).text());
    const cost = '-1.000000001';
    const costs = { BilledCost: cost, EffectiveCost: cost, ContractedCost: cost, ListCost: cost };
    const none = { ConsumedQuantity: '', ConsumedUnit: '', PricingQuantity: '', PricingUnit: '', PricingCategory: '' };
    const category = { ChargeCategory: 'Credit', ChargeFrequency: 'One-Time', ChargeClass: '' };
    expect(charges).toHaveLength(2);
    expect(charges).toContainEqual(
      expect.objectContaining({ ...costs, ...none, ...category, SkuId: 'goodwill', ChargeDescription: 'Given back' }),
    );
    expect(charges.reduce((sum, charge) => sum + units(charge['BilledCost'] ?? '', 9), 0n)).toBe(2_999_999_999n);
    const lines = await command(
      'metrics',
      'export',
      '--account',
      'eastwind',
      '--from',
      '2026-11-01',
      '--to',
      '2026-12-01',
    );
    expect(lines.text).toContain(',2.999999999,');
  });
});

describe('A name with a meaning in JavaScript', () => {
  it('is returned unchanged', async () => {
    const { app } = running;
    const name = 'constructor';
    const given = { name, unit: name, kind: 'usage', description: '' } as const;
    await createBillingDimension(await platformContext(app.services), { ...given, resourceTypes: [name] });
    const payer = await createOwner(app, 'westwind', ['west']);
    const place = { account: 'westwind', workspace: 'west', time: '2026-11-03T10:00:00Z' };
    await recordUsage(payer.ctx, [usageEvent(1, { ...place, resourceType: name, billingDimension: name })]);
    const query = new URLSearchParams({ ...window, profile: 'focus', resolution: 'daily' });
    const address = `${app.origin}/v0/accounts/${payer.accountId}/metrics?${query.toString()}`;
    const headers = { authorization: `Bearer ${payer.key}`, accept: 'text/csv' };
    const named = {
      ChargeDescription: name,
      ServiceName: name,
      ConsumedUnit: name,
      PricingUnit: name,
      ResourceType: name,
      SkuId: name,
    };
    expect(chargesOf(await (await fetch(address, { headers })).text())).toEqual([expect.objectContaining(named)]);
  });
});

describe('A name that a spreadsheet would run', () => {
  it('is guarded in each CSV export, unless the texts are to be raw', async () => {
    const { app } = running;
    const formula = '=HYPERLINK("https://example.com","x")';
    const payer = await createOwner(app, 'formulas', ['formulas']);
    const place = { account: 'formulas', workspace: 'formulas', time: '2026-11-03T10:00:00Z' };
    await recordUsage(payer.ctx, [usageEvent(1, { ...place, resourceName: formula, resourceUuid: '@id' })]);
    const cells = async (words: Record<string, string>, name: string): Promise<unknown[]> => {
      const query = new URLSearchParams({ ...window, ...words });
      const address = `${app.origin}/v0/accounts/${payer.accountId}/metrics?${query.toString()}`;
      const headers = { authorization: `Bearer ${payer.key}`, accept: 'text/csv' };
      return chargesOf(await (await fetch(address, { headers })).text()).map((charge) => charge[name]);
    };
    const groupBy = 'resource_name,resource_uuid';
    for (const [words, name, id] of [
      [{ profile: 'focus' }, 'ResourceName', 'ResourceId'],
      [{ groupBy }, 'resourceName', 'resourceUuid'],
    ] as const) {
      expect(await cells(words, name)).toEqual([`'${formula}`]);
      expect(await cells({ ...words, raw: 'false' }, id)).toEqual(["'@id"]);
      expect(await cells({ ...words, raw: 'true' }, name)).toEqual([formula]);
      expect(await cells({ ...words, raw: 'true' }, id)).toEqual(['@id']);
    }
    const times = ['--account', 'formulas', '--from', '2026-11-01', '--to', '2026-12-01'];
    for (const [format, more] of [
      ['focus', []],
      ['csv', ['--group-by', groupBy]],
    ] as const) {
      const guarded = await command('metrics', 'export', ...times, '--format', format, ...more);
      const raw = await command('metrics', 'export', ...times, '--format', format, ...more, '--raw', 'yes');
      expect(guarded.text).toContain(`"'=HYPERLINK(`);
      expect(raw.text).toContain('"=HYPERLINK(');
      expect(raw.text).not.toContain("'");
    }
  });
});

describe('metrics export', () => {
  const times = ['--from', window.startTime, '--to', window.endTime, '--account', 'northwind'];

  it('writes the same output as HTTP, in each format', async () => {
    const charges = await command('metrics', 'export', ...times, '--format', 'focus', '--resolution', 'daily');
    expect(charges).toMatchObject({ stderr: '', exitCode: 0 });
    expect(charges.text).toBe((await exported({ resolution: 'daily' })).text);
    const query = new URLSearchParams({ ...window, groupBy: 'workspace,billing_dimension' });
    for (const [format, accept] of [
      ['csv', 'text/csv'],
      ['ndjson', 'application/x-ndjson'],
    ] as const) {
      const written = await command(
        'metrics',
        'export',
        ...times,
        '--format',
        format,
        '--group-by',
        'workspace,billing_dimension',
      );
      const response = await fetch(`${running.app.origin}/v0/accounts/${owner.accountId}/metrics?${query.toString()}`, {
        headers: { authorization: `Bearer ${owner.key}`, accept },
      });
      expect(written.text).toBe(await response.text());
      expect(written.text).not.toBe('');
    }
  });

  it.each([
    [['--account', 'nobody', '--from', '2026-11-01', '--to', '2026-11-02'], 'nobody', 1],
    [['--account', 'northwind', '--from', '2026-11-02', '--to', '2026-11-01'], 'endTime', 1],
    [['--account', 'northwind', '--from', 'soon', '--to', '2026-11-01'], '--from', 2],
    [['--account', 'northwind', '--from', '2026-11-01'], '--to', 2],
    [[...times, '--format', 'xml'], '--format', 2],
    [[...times, '--format', 'focus', '--group-by', 'workspace'], 'groupBy', 1],
    [[...times, '--format', 'ndjson', '--raw', 'yes'], '--raw', 2],
    [[...times, '--raw', 'maybe'], '--raw', 2],
    [[...times, '--output', 'somewhere/new.csv'], '--output', 2],
  ])('%j is rejected with %j', async (argv, reason, exitCode) => {
    const result = await command('metrics', 'export', ...argv);
    expect(result.stderr).toContain(reason);
    expect(result.exitCode).toBe(exitCode);
  });
});
