// POST /v0/usage/events: the results of events in every supported format.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { chunkMax } from '../../src/metering/usage-chunk.js';
import { createKey, createToken, useApp } from '../harness.js';
import type { PlainEvent } from '../billing/recount.js';
import { linesOf, ndjson, sendUsage } from './usage-http.js';
import { createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import { sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

const running = useApp();
let owner: Owner;
const counted: PlainEvent[] = [];

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
});

const send = (body: unknown, sending: Parameters<typeof sendUsage>[3] = {}) =>
  sendUsage(running.app, owner.key, body, sending);

async function expectCounted(...more: PlainEvent[]): Promise<void> {
  counted.push(...more);
  expect(await sumsOf(owner.ctx, owner.accountId)).toEqual(sumsExpected(counted));
}

function cloudEvent({ source, id, time, billingDimension, resourceName, ...data }: PlainEvent) {
  return { specversion: '1.0', source, id, time, type: billingDimension, subject: resourceName, data };
}

const none = { accepted: 0, duplicate: 0, conflict: 0, invalid: 0 };

describe('One event', () => {
  it('is accepted, and recognized as a duplicate', async () => {
    const event = usageEvent(1);
    const { status, body } = await send(event);
    expect({ status, body }).toEqual({
      status: 200,
      body: { ...none, accepted: 1, results: [{ outcome: 'accepted' }] },
    });
    expect((await send(event)).body).toMatchObject({ duplicate: 1, results: [{ outcome: 'duplicate' }] });
    await expectCounted(event);
  });

  it('returns 409 for a conflicting identity, and 400 with the rule that it breaks', async () => {
    const conflict = await send({ ...usageEvent(1), cost: '9' });
    expect(conflict).toMatchObject({ status: 409, body: { error: 'conflict', code: 409 } });
    const invalid = await send({ ...usageEvent(2), cost: '-1' });
    const message = 'cost must be a decimal number of at least 0';
    expect(invalid).toMatchObject({ status: 400, body: { error: 'invalid_input', code: 400, message } });
    await expectCounted();
  });

  it('looks up its series only the first time', async () => {
    const { statements } = running.app;
    const event = usageEvent(4, { resourceName: 'metered-twice' });
    const again = { ...event, id: `${event.id} again` };
    const lookups = [];
    for (const each of [event, again]) {
      statements.length = 0;
      expect((await send(each)).body).toMatchObject({ accepted: 1 });
      lookups.push(statements.filter((sql) => sql.includes('"usage_series"')).length);
    }
    expect(lookups).toEqual([1, 0]);
    await expectCounted(event, again);
  });

  it('reports rounded amounts', async () => {
    const { body } = await send({ ...usageEvent(3), usage: 1 / 3 });
    expect(body.results).toEqual([{ outcome: 'accepted', rounded: ['usage'] }]);
    await expectCounted(usageEvent(3, { usage: '0.333333' }));
  });
});

describe('A CloudEvent', () => {
  it('is accepted in structured mode, equal to the service’s own JSON', async () => {
    const event = usageEvent(10);
    const type = 'application/cloudevents+json; charset=utf-8';
    expect((await send(cloudEvent(event), { type })).body).toMatchObject({ accepted: 1 });
    expect((await send(event)).body).toMatchObject({ duplicate: 1 });
    expect((await send(cloudEvent(event))).body).toMatchObject({ duplicate: 1 });
    await expectCounted(event);
  });

  it('is accepted with null attributes, which count as absent', async () => {
    const event = usageEvent(18);
    const unset = { datacontenttype: null, dataschema: null, data_base64: null, subject: null };
    const { body } = await send({ ...unset, ...cloudEvent(event) }, { type: 'application/cloudevents+json' });
    expect(body).toMatchObject({ accepted: 1 });
    await expectCounted(event);
  });

  it('is accepted in a batch', async () => {
    const events = [usageEvent(11), usageEvent(12)];
    const { body } = await send(events.map(cloudEvent), { type: 'application/cloudevents-batch+json' });
    expect(body).toEqual({ ...none, accepted: 2, results: [{ outcome: 'accepted' }, { outcome: 'accepted' }] });
    await expectCounted(...events);
  });

  it('is accepted in binary mode, with percent-encoded attributes', async () => {
    const event = usageEvent(13, { source: 'meter/ä' });
    const { data, ...attributes } = cloudEvent(event);
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`ce-${name}`, encodeURIComponent(value)]),
    );
    expect((await send(data, { headers })).body).toMatchObject({ accepted: 1 });
    expect((await send(event)).body).toMatchObject({ duplicate: 1 });
    const malformed = await send(data, { headers: { ...headers, 'ce-id': '%ff' } });
    expect(malformed).toMatchObject({ status: 400, body: { message: expect.stringContaining('ce-id') } });
    await expectCounted(event);
  });

  it('is accepted in binary mode, with quoted attributes', async () => {
    const event = usageEvent(15, { source: 'meter "a" \\ 50%' });
    const { data, ...attributes } = cloudEvent(event);
    const quoted = (value: string) => `"${value.replaceAll(/["\\]/g, '\\$&').replaceAll('%', '%25')}"`;
    const headers = Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`ce-${name}`, quoted(value)]),
    );
    expect((await send(data, { headers })).body).toMatchObject({ accepted: 1 });
    expect((await send(event)).body).toMatchObject({ duplicate: 1 });
    await expectCounted(event);
  });

  it('is accepted in structured and batch mode with any ce- headers', async () => {
    const [one, other] = [usageEvent(16), usageEvent(17)];
    const headers = { 'ce-specversion': '1.0', 'ce-id': one.id, 'ce-source': one.source };
    const structured = await send(cloudEvent(one), { type: 'application/cloudevents+json', headers });
    expect(structured.body).toMatchObject({ accepted: 1 });
    const batched = await send([cloudEvent(other)], { type: 'application/cloudevents-batch+json', headers });
    expect(batched.body).toMatchObject({ accepted: 1 });
    await expectCounted(one, other);
  });

  it.each<[string, Record<string, unknown>]>([
    ['specversion must be 1.0', { specversion: '0.3' }],
    ['specversion must be 1.0', { specversion: undefined }],
    ['type is required', { type: undefined }],
    ['data must be a JSON object', { data: 'text' }],
    ['data must be a JSON object', { data: undefined }],
    ['data_base64 is not supported. Send data as a JSON object', { data_base64: 'e30=' }],
    ['datacontenttype must be a JSON media type', { datacontenttype: 'text/xml' }],
    ['time is required', { time: undefined }],
    ['billingDimension must be the name of a billing dimension', { type: 'request' }],
  ])('is rejected: %s', async (message, wrong) => {
    const envelope = { ...cloudEvent(usageEvent(14)), ...wrong };
    const { status, body } = await send(envelope, { type: 'application/cloudevents+json' });
    expect({ status, message: body.message }).toEqual({ status: 400, message });
    await expectCounted();
  });

  it('is rejected by its media type', async () => {
    const one = await send([], { type: 'application/cloudevents+json' });
    expect(one).toMatchObject({ status: 400, body: { message: 'The body must be one CloudEvent.' } });
    const several = await send({}, { type: 'application/cloudevents-batch+json' });
    expect(several).toMatchObject({ status: 400, body: { message: 'The body must be an array of CloudEvents.' } });
  });
});

describe('A batch', () => {
  it('has a result for each event, in their order', async () => {
    const events = [
      usageEvent(20),
      { ...usageEvent(21), time: 'today' },
      usageEvent(1),
      { ...usageEvent(1), cost: 9 },
      7,
    ];
    const { status, body } = await send(events, { isCompressed: true });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        accepted: 1,
        duplicate: 1,
        conflict: 1,
        invalid: 2,
        results: [
          { outcome: 'accepted' },
          {
            outcome: 'invalid',
            field: 'time',
            message: 'time must be an RFC 3339 time, such as 2026-04-28T00:00:00Z',
          },
          { outcome: 'duplicate', message: 'the event was recorded before and counts once' },
          { outcome: 'conflict', message: 'another event has the same source and id' },
          { outcome: 'invalid', field: 'source', message: 'source is required. An event is an object' },
        ],
      },
    });
    await expectCounted(usageEvent(20));
  });

  it('of none is accepted, and one of more than 10,000 is rejected', async () => {
    expect((await send([])).body).toEqual({ ...none, results: [] });
    const tooMany = await send(Array.from({ length: 10_001 }, () => 1));
    expect(tooMany).toMatchObject({ status: 400, body: { message: 'events must be at most 10000 events' } });
  });
});

describe('A stream', () => {
  it('that is cut says what became of the lines before, and names those that were rejected', async () => {
    const { db } = running.app.services;
    const limited = await createOwner(running.app, 'limited', ['limited']);
    const subject = `account ${limited.accountId}`;
    await db.quota.create({ data: { subject, limits: { USAGE_EVENTS: 15 }, updatedAt: new Date() } });
    // A minute that does not end while this runs.
    await db.quotaMinute.create({ data: { accountId: limited.accountId, minute: 2_000_000_000, events: 0 } });
    const good = (n: number) => usageEvent(n, { account: 'limited', workspace: 'limited' });
    const events = [
      good(1),
      { ...good(2), cost: '-1' },
      good(1),
      { ...good(1), cost: '9' },
      ...Array.from({ length: 12 }, (_each, n) => ({ ...good(10 + n), workspace: 'unknown' })),
      good(30),
      { ...good(31), cost: '-1' },
      good(32),
    ];
    const { status, body } = await sendUsage(running.app, limited.key, linesOf(events), { type: ndjson });
    expect(status).toBe(429);
    const unknown = (line: number) => `Line ${line} is invalid: workspace must be a workspace of the account. `;
    expect(body.message).toContain(
      'USAGE_EVENTS. Lines 1 to 16 were read: 1 accepted, 1 duplicate, 1 conflicting, 13 invalid. ' +
        'Line 2 is invalid: cost must be a decimal number of at least 0. ' +
        `Line 4 is conflicting: another event has the same source and id. ` +
        `${[5, 6, 7, 8, 9, 10, 11, 12].map(unknown).join('')}And 4 more were rejected. You can send them again: duplicates`,
    );
    await db.quota.delete({ where: { subject } });
    const again = await sendUsage(running.app, limited.key, linesOf(events.slice(16)), { type: ndjson });
    expect(again).toMatchObject({ status: 200, body: { accepted: 2, invalid: 1 } });
  });

  it('that fails while its events are recorded names the lines that may have been recorded', async () => {
    const { series } = running.app.services.usageMemory;
    const assign = series.assign.bind(series);
    const partly = await createOwner(running.app, 'partly', ['partly']);
    const events = Array.from({ length: chunkMax + 1 }, (_each, n) =>
      usageEvent(n, { source: 'partly', account: 'partly', workspace: 'partly' }),
    );
    const stream = () => sendUsage(running.app, partly.key, linesOf(events), { type: ndjson });
    const broken = vi.spyOn(series, 'assign').mockImplementationOnce(assign);
    broken.mockImplementationOnce(() => {
      throw new Error('Connection terminated unexpectedly');
    });
    const failed = await stream();
    broken.mockRestore();
    expect(failed).toMatchObject({ status: 503, body: { error: 'unavailable' } });
    expect(failed.body.message).toMatch(
      /^The database is not reachable\. Try again\. Lines 1 to 2501 may have been recorded\. You can send them again: dup/,
    );
    expect(await stream()).toMatchObject({ status: 200, body: { accepted: 1, duplicate: chunkMax } });
  });

  it('returns a summary with the rejected lines', async () => {
    const [one, two, three] = [usageEvent(30), usageEvent(31), usageEvent(32)];
    const text = [
      `\uFEFF${JSON.stringify(one)}`,
      '',
      'not JSON',
      JSON.stringify(cloudEvent(two)),
      JSON.stringify({ ...one, cost: 9 }),
      JSON.stringify(one),
      JSON.stringify({ ...three, usage: 'much' }),
      JSON.stringify(three),
    ].join('\r\n');
    const { status, body } = await send(text, { type: ndjson, isCompressed: true });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        accepted: 3,
        duplicate: 1,
        conflict: 1,
        invalid: 2,
        refused: [
          { line: 3, outcome: 'invalid', message: 'it is not JSON' },
          { line: 5, outcome: 'conflict', message: 'another event has the same source and id' },
          {
            line: 7,
            outcome: 'invalid',
            field: 'usage',
            message: 'usage must be a decimal number of at least 0',
          },
        ],
      },
    });
    await expectCounted(one, two, three);
  });

  it('can be longer than a batch', async () => {
    const events = Array.from({ length: 25_000 }, (_, n) => usageEvent(n, { source: 'long' }));
    const { body } = await send(linesOf(events), { type: 'application/jsonl', isCompressed: true });
    expect(body).toEqual({ ...none, accepted: 25_000, refused: [] });
    await expectCounted(...events);
  });

  it('without events is accepted', async () => {
    expect((await send('\n\n', { type: ndjson })).body).toEqual({ ...none, refused: [] });
  });
});

describe('Permission to send events', () => {
  it('requires the scope usage:write, before the body is read', async () => {
    const { token } = await createToken(running.app, owner.tenant, 'metrics:read');
    for (const type of ['application/json', ndjson, 'text/plain']) {
      const { status, body } = await sendUsage(running.app, token, 'anything', { type });
      expect({ type, status, error: body.error }).toEqual({ type, status: 403, error: 'forbidden' });
    }
    const meter = await createToken(running.app, owner.tenant, 'usage:write');
    const event = usageEvent(40);
    expect((await sendUsage(running.app, meter.token, [event])).body).toMatchObject({ accepted: 1 });
    await expectCounted(event);
  });

  it('is denied to callers of another account, and to keys of another workspace', async () => {
    const foreign = await createOwner(running.app, 'southwind', ['south']);
    const results = (await sendUsage(running.app, foreign.key, [usageEvent(41)])).body.results;
    expect(results).toMatchObject([{ outcome: 'invalid', field: 'account' }]);
    const workspaceId = owner.tenant.workspaces['side'] ?? '';
    const { key } = await createKey(running.app, { ...owner.tenant, workspaceId });
    expect((await sendUsage(running.app, key, [usageEvent(42)])).body.results).toMatchObject([
      { outcome: 'invalid', field: 'workspace' },
    ]);
    await expectCounted();
  });
});
