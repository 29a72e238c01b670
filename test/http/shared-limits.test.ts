// Rates that several processes count together, on a Redis of the test's own; skipped where there is none.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Applicant } from '../../src/database/fair-queue.js';
import { createRateLimits } from '../../src/http/rate-limits.js';
import type { RateLimits } from '../../src/http/rate-limits.js';
import { openSharedLimits, redisCheck } from '../../src/http/shared-limits.js';
import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'limits-'));
const socket = join(folder, 'redis.sock');
const lines: string[] = [];
const stream = new Writable({
  write: (chunk, _encoding, done) => {
    lines.push(String(chunk));
    done();
  },
});
const opened: RateLimits[] = [];
let redis: ReturnType<typeof spawn> | undefined;

beforeAll(async () => {
  if (!hasRedis) return;
  redis = spawn('redis-server', ['--port', '0', '--unixsocket', socket, '--save', '', '--dir', folder]);
  for await (const chunk of redis.stdout ?? []) if (String(chunk).includes('eady to accept connections')) break;
});

afterAll(() => {
  for (const limits of opened) limits.close();
  redis?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** The limits of one process, five requests a minute, and its log about Redis. */
async function process() {
  const shared = openSharedLimits(socket, pino({}, stream));
  const limits = createRateLimits({ requests: 5, cost: 0, usage_events: 0 }, shared.make, shared.close);
  opened.push(limits);
  await shared.ready;
  return { limits, check: redisCheck(shared) };
}

const response = () => new ServerResponse(new IncomingMessage(new Socket()));
const spend = (limits: RateLimits, who: Applicant) => limits.spend('requests', 1, who, response());

describe.skipIf(!hasRedis)('Shared rate limits', () => {
  it('are counted locally while Redis accepts commands and does not answer, and shared again afterwards', async () => {
    const { limits, check } = await process();
    const who = { account: 'silent', credential: 'silent' };
    redis?.kill('SIGSTOP');
    for (let request = 0; request < 5; request++) await spend(limits, who);
    expect(check.look()).toEqual({ reason: 'no response, so each process counts rate limits by itself', stops: false });
    await expect(spend(limits, who)).rejects.toMatchObject({ status: 429 });
    expect(lines.filter((line) => line.includes('Redis does not respond'))).toHaveLength(1);
    redis?.kill('SIGCONT');
    await expect.poll(() => check.look(), { timeout: 20_000 }).toBeUndefined();
    expect(lines.join()).toContain('Redis responds again');
  });

  it('count over all processes, and per process while Redis is unavailable', async () => {
    const [{ limits: one, check }, { limits: other }] = [await process(), await process()];
    const who = { account: 'a', credential: 'c' };
    for (const limits of [one, other, one, other, one]) await spend(limits, who);
    for (const limits of [one, other]) {
      await expect(spend(limits, who)).rejects.toMatchObject({ error: 'too_many_requests', status: 429 });
    }
    expect(check.look()).toBeUndefined();
    const gone = once(redis ?? new Socket(), 'exit');
    redis?.kill('SIGKILL');
    await gone;
    const another = { account: 'b', credential: 'd' };
    for (let request = 0; request < 5; request++) await spend(one, another);
    await expect(spend(one, another)).rejects.toMatchObject({ status: 429 });
    await spend(other, another);
    // Each of them is notified of the end of its connection separately.
    await vi.waitFor(() => expect(lines.join()).toContain('Redis does not respond'), { timeout: 20_000 });
    await expect
      .poll(() => check.look())
      .toEqual({ reason: 'no response, so each process counts rate limits by itself', stops: false });
  });
});
