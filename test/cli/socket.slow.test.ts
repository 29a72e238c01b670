import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failedResult } from '../../src/cli/failed-result.js';
import { askGateway, openAdminSocket } from '../../src/cli/socket.js';
import type { AdminSocket } from '../../src/cli/socket.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { useApp } from '../harness.js';
import { northwind, usageEvent } from '../metering/usage-samples.js';

const test = useApp();
let folder = '';
let opened: AdminSocket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'admin-socket-'));
});

afterEach(async () => {
  for (const socket of opened) await socket.close();
  opened = [];
  rmSync(folder, { recursive: true });
});

async function open(path: string): Promise<AdminSocket> {
  const socket = await openAdminSocket(path, { ...test.app.services, tokens: tokenSettings(test.app.config) });
  opened.push(socket);
  return socket;
}

async function send(
  path: string,
  body: string,
  method = 'POST',
): Promise<{ status: number | undefined; body: string }> {
  const outgoing = request({ socketPath: path, method, agent: false });
  outgoing.end(body);
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  return { status: incoming?.statusCode, body: incoming === undefined ? '' : await text(incoming) };
}

describe('the admin socket', () => {
  it('accepts every argument that a command line can have, and says why it does not run a command', async () => {
    const path = join(folder, 'admin.sock');
    await open(path);
    const long = await askGateway(path, ['accounts', 'create', 'a'.repeat(128 * 1024)]);
    expect(long).toMatchObject({ stdout: '', exitCode: 2 });
    expect(await askGateway(path, ['accounts', 'a'.repeat(4 * 1024 * 1024)])).toEqual({
      stdout: '',
      stderr: 'The gateway did not run the command: The body is longer than 4194304 bytes.\n',
      exitCode: 1,
    });
  });

  it('runs commands only for its owner', async () => {
    const path = join(folder, 'admin.sock');
    await open(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await askGateway(path, ['accounts', 'create', 'acme'])).toEqual({
      stdout: 'Created the account acme.\n',
      stderr: '',
      exitCode: 0,
    });
    expect(await askGateway(path, ['accounts', 'create', 'acme'])).toMatchObject({ stdout: '', exitCode: 1 });
    expect(await askGateway(path, ['bogus'])).toMatchObject({ exitCode: 2 });
  });

  it('summarizes the recorded events of a file when the client does not wait for the end', async () => {
    const path = join(folder, 'admin.sock');
    await open(path);
    await northwind(test.app);
    const file = join(folder, 'events.ndjson');
    const lines = Array.from({ length: 60_000 }, (_, n) => JSON.stringify(usageEvent(n)));
    writeFileSync(file, lines.join('\n'));
    const interrupting = new AbortController();
    const importing = askGateway(path, ['usage', 'import', file], interrupting.signal);
    const recorded = () => test.app.services.db.usageEvent.count();
    await expect.poll(recorded, { timeout: 20_000 }).toBeGreaterThan(0);
    interrupting.abort();
    const answer = await importing;
    expect(answer).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^Interrupted after line [1-5]0000\./) });
    expect(answer?.stdout).toBe(`${await recorded()} accepted, 0 duplicate, 0 conflicting, 0 invalid.\n`);
  });

  it('shows the progress of a command on the terminal of the client, and removes it at the end', async () => {
    const path = join(folder, 'admin.sock');
    await open(path);
    const file = join(folder, 'events.ndjson');
    const lines = Array.from({ length: 30_000 }, (_, n) => JSON.stringify(usageEvent(n, { source: 'shown' })));
    writeFileSync(file, lines.join('\n'));
    const terminal = Object.assign(new PassThrough(), { columns: 100 });
    const shown = text(terminal);
    const answer = await askGateway(path, ['usage', 'import', file], undefined, terminal);
    terminal.end();
    expect(answer).toEqual({
      stdout: '30000 accepted, 0 duplicate, 0 conflicting, 0 invalid.\n',
      stderr: '',
      exitCode: 0,
    });
    const all = await shown;
    expect(all).toMatch(/Importing .* 0% {2}0 events/);
    expect(all).toMatch(/Importing .*% {2}[12]0000 events/);
    expect(all.slice(all.lastIndexOf('30000 events'))).toContain('\u001B[0J');
    // Without a terminal, the response is one JSON object.
    const { status, body } = await send(path, JSON.stringify({ argv: ['usage', 'import', file] }));
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ stdout: '0 accepted, 30000 duplicate, 0 conflicting, 0 invalid.\n' });
  });

  it('runs a command for a client that does not read', async () => {
    const path = join(folder, 'admin.sock');
    await open(path);
    const file = join(folder, 'events.ndjson');
    const lines = Array.from({ length: 20_000 }, (_, n) => JSON.stringify(usageEvent(n, { source: 'unread' })));
    writeFileSync(file, lines.join('\n'));
    const asking = request({ socketPath: path, method: 'POST', agent: false }).on('error', () => {});
    asking.end(JSON.stringify({ argv: ['usage', 'import', file], terminal: { columns: 100 } }));
    const [incoming]: IncomingMessage[] = await once(asking, 'response');
    incoming?.pause();
    const recorded = () => test.app.services.db.usageEvent.count({ where: { source: 'unread' } });
    await expect.poll(recorded, { timeout: 20_000 }).toBe(20_000);
    const answered = incoming === undefined ? '' : await text(incoming);
    expect(JSON.parse(answered.split('\n').at(-1) ?? '')).toMatchObject({ exitCode: 0 });
  });

  it('stops reading files when the client disconnects', async () => {
    const path = join(folder, 'admin.sock');
    await open(path);
    const file = join(folder, 'events.ndjson');
    const lines = Array.from({ length: 60_000 }, (_, n) => JSON.stringify(usageEvent(n, { source: 'gone' })));
    writeFileSync(file, lines.join('\n'));
    const asking = request({ socketPath: path, method: 'POST', agent: false }).on('error', () => {});
    asking.end(JSON.stringify({ argv: ['usage', 'import', file] }));
    const recorded = () => test.app.services.db.usageEvent.count({ where: { source: 'gone' } });
    await expect.poll(recorded, { timeout: 20_000 }).toBeGreaterThan(0);
    asking.destroy();
    let before = 0;
    do {
      before = await recorded();
      await setTimeout(2_000);
    } while ((await recorded()) > before);
    expect(before).toBeLessThan(60_000);
  });

  it('replaces the socket of a killed gateway, and is removed on close', async () => {
    const path = join(folder, 'admin.sock');
    writeFileSync(path, '');
    const socket = await open(path);
    expect(await askGateway(path, ['accounts', 'list'])).toMatchObject({ exitCode: 0 });
    await socket.close();
    expect(existsSync(path)).toBe(false);
    expect(await askGateway(path, ['accounts', 'list'])).toBeUndefined();
  });

  it('works in a folder whose path exceeds the limit of the kernel', async () => {
    const deep = join(folder, 'a'.repeat(100), 'b'.repeat(100));
    mkdirSync(deep, { recursive: true });
    const path = join(deep, 'admin.sock');
    await open(path);
    expect(statSync(path).isSocket()).toBe(true);
    expect(await askGateway(path, ['accounts', 'list'])).toMatchObject({ exitCode: 0 });
  });

  it('does not prevent the start of a gateway if it cannot be created', async () => {
    const path = join(folder, 'not-there', 'admin.sock');
    await open(path);
    expect(await askGateway(path, ['accounts', 'list'])).toBeUndefined();
  });

  it.each([
    ['', 'POST', 400],
    ['{"argv":', 'POST', 400],
    ['{"argv":"accounts list"}', 'POST', 400],
    ['{"argv":[1]}', 'POST', 400],
    ['{"argv":["accounts","list"]}', 'PUT', 400],
    ['{"argv":["accounts","list"],"terminal":{"columns":0}}', 'POST', 400],
    ['x'.repeat(4 * 1024 * 1024 + 1), 'POST', 413],
  ])('responds to bad input %#, and continues', async (body, method, status) => {
    const path = join(folder, 'admin.sock');
    await open(path);
    expect((await send(path, body, method)).status).toBe(status);
    expect(await askGateway(path, ['accounts', 'list'])).toMatchObject({ exitCode: 0 });
  });

  it('survives input that is not HTTP, and clients that disconnect', async () => {
    const path = join(folder, 'admin.sock');
    await open(path);
    for (const bytes of ['\u0000\u0001\n\n', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{']) {
      const socket = connect(path);
      socket.end(bytes);
      socket.resume();
      await once(socket, 'close');
    }
    expect(await askGateway(path, ['accounts', 'list'])).toMatchObject({ exitCode: 0 });
  });
});

describe('The client of the admin socket', () => {
  it('reports a broken connection, because the command may have run', async () => {
    const path = join(folder, 'admin.sock');
    const server = createServer((incoming) => incoming.socket.destroy()).listen(path);
    await once(server, 'listening');
    const error = await askGateway(path, ['accounts', 'list']).catch((reason: unknown) => reason);
    expect(failedResult(error)).toEqual({
      stdout: '',
      stderr: expect.stringMatching(
        /^The gateway returned no valid response \(.*\)\. The command may have been executed\.\n$/,
      ),
      exitCode: 1,
    });
    server.close();
  });
});
