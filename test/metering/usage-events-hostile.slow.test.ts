// POST /v0/usage/events with input that no meter sends: it responds, and keeps the acknowledged events.
import { once } from 'node:events';
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOf } from '../../src/auth/context.js';
import { openContext } from '../../src/http/open-context.js';
import { recordUsageStream } from '../../src/metering/usage-stream.js';
import { createKey, useApp } from '../harness.js';
import { linesOf, ndjson, sendUsage } from './usage-http.js';
import { createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import { usageEvent } from './usage-samples.js';

const running = useApp({ RATE_LIMIT_USAGE_EVENTS: '40000', WATCHERS_PER_ACCOUNT_MAX: '3' });
let owner: Owner;

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main']);
});

const stream = (body: unknown, isCompressed = false) =>
  sendUsage(running.app, owner.key, body, { type: ndjson, isCompressed });

const stored = async () => (await databaseOf(owner.ctx).$prisma()).usageEvent.count();

/** A request whose body is written in pieces. */
function open(key = owner.key, headers: Record<string, string> = {}): ClientRequest {
  return request(`${running.app.origin}/v0/usage/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': ndjson, ...headers },
  });
}

async function answerOf(sent: ClientRequest): Promise<{ status: number; message: string }> {
  const [response]: IncomingMessage[] = await once(sent, 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of response ?? []) chunks.push(chunk);
  return { status: response?.statusCode ?? 0, message: JSON.parse(Buffer.concat(chunks).toString()).message };
}

describe('A hostile stream', () => {
  it('that is a gzip bomb is rejected during decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(64_000_000, '\n'));
    const sent = await sendUsage(running.app, owner.key, bomb, {
      type: ndjson,
      headers: { 'content-encoding': 'gzip' },
    });
    expect(sent.status).toBe(413);
    const batch = await sendUsage(running.app, owner.key, bomb, { headers: { 'content-encoding': 'gzip' } });
    expect(batch.status).toBe(413);
  });

  it('that is invalid or truncated gzip is rejected', async () => {
    const headers = { 'content-encoding': 'gzip' };
    const whole = gzipSync(linesOf(Array.from({ length: 100 }, (_, n) => usageEvent(n, { source: 'half' }))));
    for (const body of [Buffer.from('no gzip'), whole.subarray(0, whole.length / 2)]) {
      const { status, body: answer } = await sendUsage(running.app, owner.key, body, { type: ndjson, headers });
      expect({ status, message: answer.message }).toEqual({
        status: 400,
        message: expect.stringMatching(/^The body is not valid gzip\./),
      });
    }
  });

  it('continues after a line above a megabyte, which it reports with the limit', async () => {
    const long = JSON.stringify({ ...usageEvent(8), resourceName: 'a'.repeat(2_000_000) });
    const { status, body } = await stream(
      `${JSON.stringify(usageEvent(7))}\n${long}\n${JSON.stringify(usageEvent(9))}\n`,
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 2, invalid: 1 });
    const message = 'it is longer than 1000000 bytes: NDJSON has one event per line';
    expect(body.refused).toEqual([{ line: 2, outcome: 'invalid', message }]);
  });

  it('without a line break is rejected, with and without a length', async () => {
    const { status, body } = await stream('a'.repeat(9_000_000));
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: 'The body is invalid: a line is not terminated: NDJSON has one event per line. Nothing was recorded.',
    });
    const sent = open();
    const answer = answerOf(sent);
    for (let n = 0; n < 90; n++) sent.write('a'.repeat(100_000));
    expect(await answer).toMatchObject({ status: 400 });
    sent.destroy();
  });

  it('with NUL, malformed UTF-8, deep nesting and prototype names has exactly those lines rejected', async () => {
    const good = JSON.stringify(usageEvent(1, { source: 'odd' }));
    const bytes = Buffer.concat([
      Buffer.from(`{"source":"\0"}\n${good}\n`),
      Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]),
      Buffer.from(`${'['.repeat(200_000)}\n`),
      Buffer.from(`${JSON.stringify({ ...usageEvent(2), id: 'a\0b' })}\n`),
      Buffer.from('{"__proto__":{"source":"x"},"constructor":1,"specversion":null}\n'),
      Buffer.from(`${JSON.stringify({ ...usageEvent(3), account: '__proto__' })}`),
    ]);
    const { status, body } = await stream(bytes);
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 1, invalid: 6 });
    expect(body.refused.map(({ line, message }: { line: number; message: string }) => `${line} ${message}`)).toEqual([
      '1 it is not JSON',
      '3 it is not UTF-8',
      '4 it is not JSON',
      '5 id must not contain control characters',
      '6 specversion must be 1.0',
      '7 account must be an account that the credential can record usage for',
    ]);
    const malformed = await sendUsage(running.app, owner.key, Buffer.from([0x5b, 0xff, 0x5d]));
    expect(malformed).toMatchObject({ status: 400, body: { message: 'The body is not valid UTF-8.' } });
  });

  it('lists a thousand rejected lines, and counts all of them', async () => {
    const { body } = await stream('x\n'.repeat(1_500));
    expect(body.invalid).toBe(1_500);
    expect(body.refused).toHaveLength(1_000);
  });

  it('of another media type, charset or encoding returns 415', async () => {
    for (const [type, headers] of [
      ['text/plain', {}],
      ['application/json; charset=latin1', {}],
      [ndjson, { 'content-encoding': 'br' }],
    ] as const) {
      const { status } = await sendUsage(running.app, owner.key, '{}', { type, headers });
      expect({ type, status }).toEqual({ type, status: 415 });
    }
  });
});

describe('A long stream', () => {
  it('is recorded while it arrives, beyond the request timeout', async () => {
    const before = await stored();
    const { server } = running.app.gateway;
    let socket: Socket | undefined;
    server.prependOnceListener('request', (incoming) => (socket = incoming.socket));
    const sent = open();
    const answer = once(sent, 'response');
    sent.write(linesOf([usageEvent(50, { source: 'live' })]));
    await expect.poll(stored, { interval: 20 }).toBe(before + 1);
    // The response of Node.js to every request that is incomplete after the timeout.
    server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
    sent.end(linesOf([usageEvent(52, { source: 'live' })]));
    const [response]: IncomingMessage[] = await answer;
    expect(response?.statusCode).toBe(200);
    response?.resume();
    expect(await stored()).toBe(before + 2);
  });

  it('ends when its key is revoked, with a summary', async () => {
    const { key, id } = await createKey(running.app, owner.tenant);
    const sent = open(key);
    const answer = answerOf(sent);
    const before = await stored();
    sent.write(linesOf([usageEvent(60, { source: 'revoked' })]));
    await expect.poll(stored, { interval: 20 }).toBe(before + 1);
    await running.app.services.db.apiKey.update({ where: { id }, data: { revokedAt: running.app.clock.now } });
    // The key is remembered for a moment.
    await expect
      .poll(async () => (await sendUsage(running.app, key, [])).status, { interval: 50, timeout: 10_000 })
      .toBe(401);
    sent.end(linesOf([usageEvent(61, { source: 'revoked' })]));
    expect(await answer).toEqual({
      status: 401,
      message: expect.stringMatching(
        /Lines 1 to 1 were read: 1 accepted, 0 duplicate, 0 conflicting, 0 invalid\. You can send them again: duplicates are not counted\.$/,
      ),
    });
    expect(await stored()).toBe(before + 1);
  });

  it('takes one slot of its account, and releases it', async () => {
    const before = await stored();
    const streams = [80, 81, 82].map((n) => {
      const sent = open();
      sent.on('error', () => {});
      sent.write(linesOf([usageEvent(n, { source: 'places' })]));
      return sent;
    });
    await expect.poll(stored, { interval: 20 }).toBe(before + 3);
    expect(await stream('')).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
    expect((await sendUsage(running.app, owner.key, [])).status).toBe(200);
    for (const sent of streams) sent.destroy();
    await expect.poll(async () => (await stream('')).status, { interval: 20 }).toBe(200);
  });

  it('stops when the client disconnects, and keeps the recorded events', async () => {
    const before = await stored();
    const sent = open();
    sent.on('error', () => {});
    sent.write(linesOf([usageEvent(70, { source: 'cut' })]));
    await expect.poll(stored, { interval: 20 }).toBe(before + 1);
    sent.write('{"source":');
    sent.destroy();
    expect((await stream(linesOf([usageEvent(70, { source: 'cut' })]))).body).toMatchObject({ duplicate: 1 });
  });

  it('reads no more than it has recorded', async () => {
    const ctx = await openContext(running.app.services, { authorization: `Bearer ${owner.key}` }, 'test');
    let read = 0;
    const chunks = async function* (): AsyncGenerator<Buffer> {
      for (let n = 0; n < 30; n++) {
        read++;
        yield Buffer.from(linesOf(Array.from({ length: 1_000 }, () => ({}))));
      }
    };
    let isBlocked = true;
    let release = (): void => {};
    const blocked = new Promise<void>((resolve) => (release = resolve));
    const inTurn = async <Result>(act: () => Promise<Result>): Promise<Result> => {
      if (isBlocked) await blocked;
      return act();
    };
    const summary = recordUsageStream(ctx, () => ({ chunks: chunks(), inTurn }));
    await setTimeout(100);
    // Two batches of ten thousand, and one part ahead of each.
    expect(read).toBeLessThanOrEqual(22);
    isBlocked = false;
    release();
    expect((await summary).counts).toMatchObject({ invalid: 30_000 });
  });

  it('returns 429 above the events per minute, with the last recorded position', async () => {
    const { key } = await createKey(running.app, owner.tenant);
    const events = Array.from({ length: 50_000 }, (_, n) => usageEvent(n, { source: 'much' }));
    const { status, headers, body } = await sendUsage(running.app, key, linesOf(events), { type: ndjson });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const [, said] = /usage events of this \w+ per minute .*\. Lines 1 to (\d+) were read/.exec(body.message) ?? [];
    expect(Number(said)).toBeGreaterThan(0);
    expect(Number(said)).toBeLessThanOrEqual(40_000);
    expect(await (await databaseOf(owner.ctx).$prisma()).usageEvent.count({ where: { source: 'much' } })).toBe(
      Number(said),
    );
  });
});
