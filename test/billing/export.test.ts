// Account metrics as CSV and NDJSON: the content of all JSON pages in one request.
import { beforeAll, describe, expect, it } from 'vitest';
import { exportFormOf } from '../../src/billing/export.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, rest, useApp } from '../harness.js';
import { createOwner, mixedUsage } from '../metering/usage-mixture.js';
import type { Owner } from '../metering/usage-mixture.js';
import { usageEvent } from '../metering/usage-samples.js';
import { recount, units } from './recount.js';

const running = useApp();
let owner: Owner;
const events = mixedUsage(900, 'northwind', ['main', 'side']);
const window = { startTime: '2026-10-02T10:20:30Z', endTime: '2026-11-19T08:09:10Z' };
const groupBy = ['resource_uuid', 'resource_name', 'billing_dimension'];
const query = new URLSearchParams({ ...window, resolution: 'weekly', groupBy: groupBy.join(',') });
const entries = recount(events, { ...window, resolution: 'weekly', groupBy, filters: {} });

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
  await recordUsage(owner.ctx, events);
});

async function exported(accept: string, words = query.toString(), key = owner.key, accountId = owner.accountId) {
  const response = await fetch(`${running.app.origin}/v0/accounts/${accountId}/metrics?${words}`, {
    headers: { authorization: `Bearer ${key}`, accept },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The cells of CSV, by the rules of RFC 4180. */
function cellsOf(text: string): string[][] {
  const lines = text.match(/(?:"(?:[^"]|"")*"|[^"\r\n])*\r\n/g) ?? [];
  return lines.map((line) =>
    Array.from(`,${line.slice(0, -2)}`.matchAll(/,("(?:[^"]|"")*"|[^,]*)/g), ([, cell = '']) =>
      cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
    ),
  );
}

describe('The export of account metrics', () => {
  it('is a CSV line for each bucket with activity of every group, over all pages', async () => {
    expect(entries.length).toBeGreaterThan(100);
    const { status, headers, text } = await exported('text/csv');
    expect({ status, type: headers.get('content-type'), vary: headers.get('vary') }).toMatchObject({
      status: 200,
      type: 'text/csv',
      vary: expect.stringContaining('Accept'),
    });
    const [head, ...lines] = cellsOf(text);
    const names = ['resourceUuid', 'resourceName', 'workspace', 'resourceType', 'billingDimension'];
    expect(head).toEqual([...names, 'timestamp', 'cost', 'usage']);
    const told = lines.map(([uuid, name, , , dimension, time, cost = '', usage = '']) =>
      [uuid, name, dimension, time, units(cost, 9), units(usage, 6)].join('|'),
    );
    const active = entries.flatMap(({ key, timeseries }) =>
      timeseries
        .filter(({ cost, usage }) => cost !== 0n || usage !== 0n)
        .map(({ timestamp, cost, usage }) => [...key, timestamp, cost, usage].join('|')),
    );
    expect(told).toEqual(active);
  });

  it('is the entries of all JSON pages as NDJSON', async () => {
    const pages: unknown[] = [];
    for (let cursor = ''; ;) {
      const { body } = await rest(
        running.app,
        `/accounts/${owner.accountId}/metrics?${query.toString()}&cursor=${cursor}`,
        {
          key: owner.key,
        },
      );
      pages.push(...body.data);
      cursor = body.meta.nextCursor;
      if (!body.meta.hasMore) break;
    }
    const { headers, text } = await exported('application/x-ndjson', `${query.toString()}&limit=1`);
    expect(headers.get('content-type')).toBe('application/x-ndjson');
    const lines = text.trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(pages);
    expect(pages).toHaveLength(entries.length);
  });

  it.each([
    ['resource_name', 150, 120],
    ['resource_name', 330, 140],
    ['resource_name,resource_type', 199, 230],
    ['resource_uuid', 150, 120],
    ['resource_uuid', 120, 101],
  ])('has each group by %s, though the first one has %d series and %d groups follow', async (asked, first, others) => {
    const account = `uneven-${asked.replaceAll(/[_,]/g, '-')}-${first}`;
    const uneven = await createOwner(running.app, account, [account]);
    const isByName = asked.startsWith('resource_name');
    const given = Array.from({ length: first + others }, (_each, n) => {
      const [name, uuid] = isByName ? [n < first ? 'a' : `b-${n}`, `u-${n}`] : [`n-${n}`, n < first ? '' : `b-${n}`];
      return usageEvent(n, { account, workspace: account, resourceName: name, resourceUuid: uuid });
    });
    await recordUsage(uneven.ctx, given);
    const asks = { ...window, resolution: 'weekly' } as const;
    const found = recount(given, { ...asks, groupBy: asked.split(','), filters: {} });
    expect(found.length).toBeGreaterThan(100);
    const words = new URLSearchParams({ ...asks, groupBy: asked }).toString();
    const column = isByName ? 1 : 0;
    const csv = await exported('text/csv', words, uneven.key, uneven.accountId);
    const [, ...lines] = cellsOf(csv.text);
    expect([...new Set(lines.map((cells) => cells[column]))]).toEqual(found.map(({ key: [value] }) => value));
    const ndjson = await exported('application/x-ndjson', words, uneven.key, uneven.accountId);
    const costs = ndjson.text
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line).summary.cost);
    expect(costs).toEqual(found.map(({ cost }) => Number(cost) / 1e9));
  });

  it('takes few statements for any number of JSON pages', async () => {
    const { statements } = running.app;
    const many = await createOwner(running.app, 'eastwind', ['east']);
    const [event = raise()] = mixedUsage(1, 'eastwind', ['east']);
    const given = Array.from({ length: 450 }, (_each, n) => ({
      ...event,
      workspace: 'east',
      id: `many-${n}`,
      time: '2026-11-01T00:00:00Z',
      resourceName: `many-${n}`,
      resourceUuid: `many-${n}`,
    }));
    await recordUsage(many.ctx, given);
    const path = `/accounts/${many.accountId}/metrics?${query.toString()}&limit=100`;
    const statementsOf = async (read: () => Promise<unknown>) => {
      await read();
      statements.length = 0;
      await read();
      return statements.length;
    };
    const ofPage = await statementsOf(() => rest(running.app, path, { key: many.key }));
    const ofFile = await statementsOf(() => exported('text/csv', query.toString(), many.key, many.accountId));
    // A JSON page has a hundred entries: this takes five of them.
    expect(ofFile).toBeLessThan(3 * ofPage);
    const { text } = await exported('text/csv', query.toString(), many.key, many.accountId);
    expect(new Set(cellsOf(text).map(([uuid]) => uuid)).size).toBe(451);
  });

  it.each([
    ['text/csv', 'yes', 'raw must be true or false'],
    ['application/x-ndjson', 'true', 'raw is only available for CSV. Send Accept: text/csv'],
    ['application/json', 'true', 'raw is only available for CSV. Send Accept: text/csv'],
  ])('rejects the option for raw texts: %s with %s', async (accept, raw, message) => {
    const { status, text } = await exported(accept, `${query.toString()}&raw=${raw}`);
    expect([status, JSON.parse(text).message]).toEqual([400, message]);
  });

  it('returns the same errors as JSON, in JSON', async () => {
    const wrong = await exported('text/csv', 'startTime=2026-10-02T10:20:30Z');
    expect(wrong.status).toBe(400);
    expect(JSON.parse(wrong.text)).toMatchObject({ error: 'invalid_parameter' });
    const { key } = await createKey(running.app, { ...owner.tenant, scope: 'agents:list' });
    expect((await exported('text/csv', query.toString(), key)).status).toBe(403);
    const foreign = await createOwner(running.app, 'southwind', ['south']);
    expect((await exported('text/csv', query.toString(), foreign.key)).status).toBe(403);
  });

  it.each([
    [undefined, undefined],
    ['*/*', undefined],
    ['application/json, text/csv', undefined],
    ['text/html', undefined],
    ['text/csv;q=0', undefined],
    ['application/json;q=0.1, text/csv;q=0.5, */*', 'text/csv'],
    ['text/csv', 'text/csv'],
    ['Text/CSV; q=0.9, */*;q=0.1', 'text/csv'],
    ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
  ])('is selected by Accept: %s as %s', (accept, form) => {
    expect(exportFormOf(accept)).toBe(form);
  });
});

function raise(): never {
  throw new RangeError('there is no event');
}
