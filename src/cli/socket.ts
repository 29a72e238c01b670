// An embedded database belongs to one process. While that is the gateway, it takes admin commands over a
// Unix socket in its folder: HTTP, {argv, folder} in, {stdout, stderr, exitCode} out; DELETE of the address that it was
// sent to interrupts it. Who may open the socket may open the database's files as well, so the file's permission is all
// the authentication there is.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Admin } from './command.js';
import type { CommandResult } from './print.js';
import { runCommandLine } from './run.js';

const bodyBytesMax = 64 * 1024;
const answerMsMax = 60_000;
const stillWorkingMs = 5_000;
const closeMsMax = 5_000;

/** The kernel takes 107 bytes on Linux and 103 on macOS, and Node cuts what is longer without a word. */
const socketPathBytesMax = 103;

const requestBody = z.object({
  argv: z.array(z.string().max(4096)).max(64),
  /** Where the caller stands. */
  folder: z.string().max(4096).default('/'),
});
const answerBody = z.object({ stdout: z.string(), stderr: z.string(), exitCode: z.int() });

type GatewayAdmin = Omit<Admin, 'folder' | 'interrupted'> & { log: Logger };

/** What runs, by the address that it was sent to. */
type Running = Map<string | undefined, AbortController>;

export interface AdminSocket {
  /** Lets commands finish, and removes the socket. */
  close: () => Promise<void>;
}

/**
 * Listens for admin commands. A socket that a killed gateway left behind is replaced: the caller holds
 * the folder's lock, so nobody listens there. Where no socket can be made the gateway runs without one,
 * and the log says so.
 */
export async function openAdminSocket(path: string, admin: GatewayAdmin): Promise<AdminSocket> {
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 2_000 };
  const running: Running = new Map();
  const server = createServer(limits, (incoming, response) => {
    answer(admin, running, incoming, response).catch((error: unknown) => {
      admin.log.warn({ err: error }, 'an admin request broke off');
      response.destroy();
    });
  });
  try {
    rmSync(path, { force: true });
    await withShortPath(path, (shortPath) => listen(server, shortPath));
  } catch (error) {
    admin.log.warn({ err: error }, `cannot listen on ${path}: admin commands work only while the gateway is stopped`);
    return { close: async () => {} };
  }
  server.on('error', (error) => admin.log.warn({ err: error }, 'the admin socket failed'));
  return {
    close: async () => {
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeIdleConnections();
      const patience = new AbortController();
      const cut = setTimeout(closeMsMax, undefined, { signal: patience.signal }).then(
        () => server.closeAllConnections(),
        () => {},
      );
      await closed;
      patience.abort();
      await cut;
      rmSync(path, { force: true });
    },
  };
}

/** The socket is its owner's alone from the moment it exists: binding happens within the call of `listen`. */
async function listen(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(mask);
  }
  await once(server, 'listening');
}

async function answer(
  admin: GatewayAdmin,
  running: Running,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader('connection', 'close');
  const body = await readBody(incoming);
  if (body === undefined) {
    sendJson(response, 413, { message: `The body is longer than ${bodyBytesMax} bytes.` });
    return;
  }
  const parsed = requestBody.safeParse(parseJson(body));
  if (incoming.method === 'DELETE') {
    running.get(incoming.url)?.abort();
    sendJson(response, 200, {});
  } else if (incoming.method === 'POST' && parsed.success) {
    const { argv, folder } = parsed.data;
    const interrupting = new AbortController();
    running.set(incoming.url, interrupting);
    // Who is gone waits for no end.
    response.once('close', () => interrupting.abort());
    // A long command says that it is still at it by spaces, which mean nothing in JSON.
    response.writeHead(200, { 'content-type': 'application/json' });
    const working = setInterval(() => response.write(' '), stillWorkingMs);
    const result = await runCommandLine({ ...admin, folder, interrupted: interrupting.signal }, argv).finally(() => {
      clearInterval(working);
      running.delete(incoming.url);
    });
    response.end(JSON.stringify(result));
  } else {
    sendJson(response, 400, { message: 'Send {"argv": […]} with POST.' });
  }
}

/** The whole body, or undefined when it is too long; what is too long is read and dropped. */
async function readBody(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes <= bodyBytesMax) chunks.push(part);
  }
  return bytes <= bodyBytesMax ? Buffer.concat(chunks).toString('utf8') : undefined;
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // What is not JSON is no request: the schema refuses it.
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/**
 * Has the gateway that listens on a socket run a command line.
 *
 * @param interrupted passed on to the command, which may stop then, and answers what it has done.
 * @returns undefined when nobody listens there.
 */
export async function askGateway(
  path: string,
  argv: string[],
  interrupted?: AbortSignal,
): Promise<CommandResult | undefined> {
  return withShortPath(path, async (socketPath) => {
    const address = { socketPath, path: `/${randomUUID()}`, agent: false };
    const outgoing = request({ ...address, method: 'POST', timeout: answerMsMax });
    const interrupt = (): void =>
      void request({ ...address, method: 'DELETE' })
        .on('error', () => {})
        .end();
    interrupted?.addEventListener('abort', interrupt);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${answerMsMax / 1000} seconds`)));
    let isConnected = false;
    outgoing.on('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    try {
      const answered = once(outgoing, 'response');
      outgoing.end(JSON.stringify({ argv, folder: process.cwd() }));
      const [incoming]: IncomingMessage[] = await answered;
      if (incoming === undefined) throw new Error('there is no answer');
      return answerBody.parse(JSON.parse(await text(incoming)));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (!isConnected && (code === 'ENOENT' || code === 'ECONNREFUSED')) return undefined;
      throw new Error(
        isConnected
          ? `The gateway did not answer as it should (${String(error)}); the command may have been carried out.`
          : `The gateway cannot be reached at ${path} (${String(error)}).`,
        { cause: error },
      );
    } finally {
      interrupted?.removeEventListener('abort', interrupt);
    }
  });
}

/** Gives a socket a path that the kernel takes: through a link in a folder of its own, if it has to be. */
async function withShortPath<Result>(path: string, use: (path: string) => Promise<Result>): Promise<Result> {
  if (Buffer.byteLength(path) <= socketPathBytesMax) return use(path);
  const folder = mkdtempSync(join(tmpdir(), 'admin-'));
  try {
    symlinkSync(resolve(dirname(path)), join(folder, 'd'));
    return await use(join(folder, 'd', basename(path)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
