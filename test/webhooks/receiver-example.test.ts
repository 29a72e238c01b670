// The receiver of the docs, run unchanged.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createSecret, signedHeaders } from '../../src/webhooks/signature.js';
import { freePort } from '../../src/server/listen.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [, program = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(`${root}/docs/webhooks.md`, 'utf8')) ?? [];
const secret = createSecret();
const lines: string[] = [];
let child: ChildProcess;
let origin: string;

beforeAll(async () => {
  const port = await freePort('127.0.0.1');
  origin = `http://127.0.0.1:${port}`;
  child = spawn(process.execPath, ['--input-type=module'], {
    cwd: root,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin?.end(program);
  if (child.stdout !== null) createInterface(child.stdout).on('line', (line) => lines.push(line));
  await vi.waitFor(() => send('{}', {}), { timeout: 20_000 });
});

afterAll(async () => {
  child.kill();
  await once(child, 'close');
});

const send = (body: string, headers: Record<string, string>) => fetch(origin, { method: 'POST', body, headers });

it('accepts signed requests, each event once, and nothing else', async () => {
  const body = '{"type":"agent.updated"}';
  const headers = signedHeaders('an-id', new Date(), body, [createSecret(), secret]);
  expect((await send(body, headers)).status).toBe(204);
  expect((await send(body, signedHeaders('an-id', new Date(), body, [secret]))).status).toBe(204);
  expect((await send(`${body} `, headers)).status).toBe(401);
  expect((await send(body, signedHeaders('other', new Date(), body, [createSecret()]))).status).toBe(401);
  expect((await send(body, signedHeaders('old', new Date(Date.now() - 600_000), body, [secret]))).status).toBe(401);
  await vi.waitFor(() => expect(lines).toEqual([`agent.updated ${body}`]), { timeout: 20_000 });
});
