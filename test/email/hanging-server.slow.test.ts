// Mail servers that hang, refuse or answer too slowly: the gateway serves, loses no message and stops.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { insertEmails } from '../../src/email/email.js';
import { backgroundTasks } from '../../src/server/background-tasks.js';
import { runBackgroundTasks, startBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

const running = useApp();
const closing: (() => void)[] = [];
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'one', workspaces: ['acme'] });
  ({ key } = await createKey(running.app, tenant));
});

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A mail server that only connects, and then does this. */
async function badServer(act: (socket: Socket) => void): Promise<number> {
  return portOf(
    createServer((socket) => {
      socket.on('error', () => socket.destroy());
      closing.push(() => socket.destroy());
      act(socket);
    }),
  );
}

/** Writes a line of an unfinished response each second. */
function drip(socket: Socket): void {
  socket.write('220 ready\r\n');
  socket.once('data', () => {
    const timer = setInterval(() => socket.write('250-wait\r\n'), 1_000);
    socket.once('close', () => clearInterval(timer));
  });
}

const configOf = (port: number) => ({
  ...running.app.config,
  ...readConfig({ SMTP_URL: `smtp://127.0.0.1:${port}`, SMTP_FROM: 'control@example.com' }),
});

const queue = (reason: string) =>
  insertEmails(running.app.services.db, {
    accountId: tenant.accountId,
    reason,
    recipients: [`${reason}@example.com`],
    subject: reason,
    body: reason,
    now: running.app.clock.now,
  });

const { sendEmails } = backgroundTasks;

/** Sends by a server that works, after the pause of a failure. @returns the recipients. */
async function sendLater(): Promise<string[]> {
  const received: string[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, { envelope }, done) => {
      received.push(...envelope.rcptTo.map(({ address }) => address));
      stream.resume().on('end', () => done());
    },
  });
  const config = configOf(await portOf(server.server));
  await running.app.services.db.$executeRaw`UPDATE "email" SET "next_at" = "next_at" - interval '61 seconds'`;
  const run = () => runBackgroundTasks(running.app.services, config, [sendEmails]);
  await Promise.all([run(), run()]);
  await run();
  return received;
}

describe('a mail server that', () => {
  it.each([
    ['says nothing', () => undefined, 6_000],
    ['closes the connection', (socket: Socket) => socket.destroy(), 2_000],
    ['refuses connections', (socket: Socket) => socket.end('421 too many connections\r\n'), 2_000],
    ['says no SMTP', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 2_000],
    ['never ends a response', drip, 21_000],
  ])(
    '%s delays messages only, and does not keep the process from stopping',
    async (what, act, msMax) => {
      const reason = what.replaceAll(' ', '-');
      await queue(reason);
      const { services } = running.app;
      const tasks = startBackgroundTasks(services, configOf(await badServer(act)), [sendEmails]);
      const startedMs = performance.now();
      const { status } = await graphql(running.app, key, '{ viewer { name } }');
      expect(status).toBe(200);
      await tasks.stop();
      expect(performance.now() - startedMs).toBeLessThan(msMax + 5_000);
      expect(await services.db.email.findMany({ where: { reason } })).toMatchObject([
        { attemptCount: 1, sentAt: null, nextAt: expect.any(Date) },
      ]);
      expect(await sendLater()).toEqual([`${reason}@example.com`]);
    },
    60_000,
  );
});
