// Only one process can open an embedded database. While the gateway has it open, it accepts admin commands over a Unix
// socket in DATA_DIR, as HTTP: the request has {argv, folder}, the response {stdout, stderr, exitCode}. If the request has a
// {terminal}, lines with output for it come before. A DELETE of the same path interrupts the command. The permission of the
// socket file is the authentication: the same users can read the database's files.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { ApiError } from '../errors.js';
import { jsonIn } from '../input/json.js';
import type { Admin } from './command.js';
import type { CommandResult } from './print.js';
import { runCommandLine } from './run.js';

/** More than a command line can have (2 MiB on Linux). */
const bodyBytesMax = 4 * 1024 * 1024;
const answerMsMax = 60_000;
const stillWorkingMs = 5_000;
const closeMsMax = 5_000;

/** The bytes that wait for a caller who does not read, as after Ctrl+Z. Further steps of a progress bar are dropped. */
const waitingBytesMax = 64 * 1024;

/** The width of a terminal that does not tell its own. */
const defaultColumns = 80;

/** The limit is 107 bytes on Linux and 103 on macOS. Node truncates longer paths silently. */
const socketPathBytesMax = 103;

const requestBody = z.object({
  argv: z.array(z.string()),
  /** The working directory of the caller. */
  folder: z.string().max(4096).default('/'),
  /** The terminal of the caller, if it shows progress on one. */
  terminal: z.object({ columns: z.int().min(1).max(10_000) }).optional(),
});
const refusalBody = z.object({ message: z.string() });
const terminalLine = z.object({ terminal: z.string() });
const answerBody = z.object({ stdout: z.string(), stderr: z.string(), exitCode: z.int() });

type GatewayAdmin = Omit<Admin, 'folder' | 'interrupted' | 'terminal'> & { log: Logger };

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
  const parsed = requestBody.safeParse(jsonIn(body));
  if (incoming.method === 'DELETE') {
    running.get(incoming.url)?.abort();
    sendJson(response, 200, {});
  } else if (incoming.method === 'POST' && parsed.success) {
    const { argv, folder, terminal } = parsed.data;
    const interrupting = new AbortController();
    running.set(incoming.url, interrupting);
    // The caller has disconnected.
    response.once('close', () => interrupting.abort());
    // Spaces keep the connection alive during a long command. JSON ignores them.
    response.writeHead(200, { 'content-type': 'application/json' });
    const working = setInterval(() => response.write(' '), stillWorkingMs);
    const context = {
      ...admin,
      folder,
      interrupted: interrupting.signal,
      ...(terminal && { terminal: terminalOver(response, terminal) }),
    };
    const result = await runCommandLine(context, argv).finally(() => {
      clearInterval(working);
      running.delete(incoming.url);
    });
    response.end(JSON.stringify(result));
  } else {
    sendJson(response, 400, { message: 'Send {"argv": […]} with POST.' });
  }
}

/** The terminal of the caller: what is written to it becomes lines of the response. */
function terminalOver(response: ServerResponse, { columns }: { columns: number }): Writable {
  const terminal = new Writable({
    decodeStrings: false,
    write: (output, _encoding, done) => {
      const isReading = !response.destroyed && response.writableLength < waitingBytesMax;
      if (isReading) response.write(`${JSON.stringify({ terminal: String(output) })}\n`);
      done();
    },
  });
  return Object.assign(terminal, { isTTY: true, columns });
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

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/**
 * Sends a command line to the gateway that listens on a socket.
 *
 * @param interrupted interrupts the command, which then returns what it has done so far.
 * @param terminal shows the progress of the command, if there is one.
 * @returns undefined if no process listens.
 */
export async function askGateway(
  path: string,
  argv: string[],
  interrupted?: AbortSignal,
  terminal?: Writable & { columns?: number },
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
      const shown = terminal && { terminal: { columns: terminal.columns || defaultColumns } };
      outgoing.end(JSON.stringify({ argv, folder: process.cwd(), ...shown }));
      const [incoming]: IncomingMessage[] = await answered;
      if (incoming === undefined) throw new Error('no response');
      if (incoming.statusCode !== 200) {
        const { message } = refusalBody.parse(JSON.parse(await text(incoming)));
        return { stdout: '', stderr: `The gateway did not run the command: ${message}\n`, exitCode: 1 };
      }
      return await readAnswer(incoming, terminal);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (!isConnected && (code === 'ENOENT' || code === 'ECONNREFUSED')) return undefined;
      const message = isConnected
        ? `The gateway returned no valid response (${String(error)}). The command may have been executed.`
        : `Cannot connect to the gateway at ${path} (${String(error)}).`;
      throw new ApiError('unavailable', message, { cause: error });
    } finally {
      interrupted?.removeEventListener('abort', interrupt);
    }
  });
}

/** Reads the result of a command. The lines before it are output for the terminal. */
async function readAnswer(incoming: IncomingMessage, terminal: Writable | undefined): Promise<CommandResult> {
  let line: string[] = [];
  incoming.setEncoding('utf8');
  for await (const chunk of incoming) {
    const [end = '', ...next] = String(chunk).split('\n');
    line.push(end);
    for (const start of next) {
      terminal?.write(terminalLine.parse(JSON.parse(line.join(''))).terminal);
      line = [start];
    }
  }
  return answerBody.parse(JSON.parse(line.join('')));
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
