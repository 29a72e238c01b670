// Only one process can open an embedded database. While the gateway has it open, it accepts admin commands over a Unix
// socket in DATA_DIR, as HTTP: the request has {argv, folder}, the response {stdout, stderr, exitCode}. A DELETE of the same
// path interrupts the command. The permission of the socket file is the authentication: the same users can read the
// database's files.
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

/** The limit is 107 bytes on Linux and 103 on macOS. Node truncates longer paths silently. */
const socketPathBytesMax = 103;

const requestBody = z.object({
  argv: z.array(z.string().max(4096)).max(64),
  /** The working directory of the caller. */
  folder: z.string().max(4096).default('/'),
});
const answerBody = z.object({ stdout: z.string(), stderr: z.string(), exitCode: z.int() });

type GatewayAdmin = Omit<Admin, 'folder' | 'interrupted'> & { log: Logger };

/** Running commands by the path of their request. */
type Running = Map<string | undefined, AbortController>;

export interface AdminSocket {
  /** Waits for running commands, and removes the socket. */
  close: () => Promise<void>;
}

/**
 * Listens for admin commands. The socket of a killed gateway is replaced: the caller holds the lock of the folder, so no
 * process listens on it. If the socket cannot be created, the gateway logs a warning and runs without it.
 */
export async function openAdminSocket(path: string, admin: GatewayAdmin): Promise<AdminSocket> {
  const limits = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 2_000 };
  const running: Running = new Map();
  const server = createServer(limits, (incoming, response) => {
    answer(admin, running, incoming, response).catch((error: unknown) => {
      admin.log.warn({ err: error }, 'admin request failed');
      response.destroy();
    });
  });
  try {
    rmSync(path, { force: true });
    await withShortPath(path, (shortPath) => listen(server, shortPath));
  } catch (error) {
    admin.log.warn({ err: error }, `cannot listen on ${path}; admin commands require that the gateway is stopped`);
    return { close: async () => {} };
  }
  server.on('error', (error) => admin.log.warn({ err: error }, 'admin socket failed'));
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

/** The socket must never be accessible to other users. It is created within the call of `listen`. */
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
    // The caller has disconnected.
    response.once('close', () => interrupting.abort());
    // Spaces keep the connection alive during a long command. JSON ignores them.
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

/** The body, or undefined if it is too long. The rest of a long body is read and dropped. */
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
    // The schema rejects undefined.
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/**
 * Sends a command line to the gateway that listens on a socket.
 *
 * @param interrupted interrupts the command, which then returns what it has done so far.
 * @returns undefined if no process listens.
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
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no response within ${answerMsMax / 1000} seconds`)));
    let isConnected = false;
    outgoing.on('socket', (socket) => socket.once('connect', () => (isConnected = true)));
    try {
      const answered = once(outgoing, 'response');
      outgoing.end(JSON.stringify({ argv, folder: process.cwd() }));
      const [incoming]: IncomingMessage[] = await answered;
      if (incoming === undefined) throw new Error('no response');
      return answerBody.parse(JSON.parse(await text(incoming)));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (!isConnected && (code === 'ENOENT' || code === 'ECONNREFUSED')) return undefined;
      throw new Error(
        isConnected
          ? `The gateway returned no valid response (${String(error)}). The command may have been executed.`
          : `Cannot connect to the gateway at ${path} (${String(error)}).`,
        { cause: error },
      );
    } finally {
      interrupted?.removeEventListener('abort', interrupt);
    }
  });
}

/** Shortens the path of a socket with a symbolic link, if it is too long. */
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
