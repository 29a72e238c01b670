// Email through a real SMTP server.
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Prisma } from '../../src/database/client/client.js';
import type { Database } from '../../src/database/open.js';
import { insertEmails } from '../../src/email/email.js';
import { sendEmails as sendQueued } from '../../src/email/send-emails.js';
import { readConfig } from '../../src/config.js';
import { backgroundTasks } from '../../src/server/background-tasks.js';
import { createLog } from '../../src/server/create-services.js';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { mutate } from '../resources/mutations.js';
import { createKey, createTenant, frozenNow, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';

interface Received {
  recipients: string[];
  sender: string;
  content: string;
}

const received: Received[] = [];
/** The response to recipients: 0 accepts them. */
let refuses = 0;
/** Called before a message is accepted. */
let beforeAccepting = async (): Promise<void> => {};
let port = 0;

const server = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth: ({ username, password }, _session, done) => {
    if (username === 'mailer' && password === 'pass word') done(null, { user: 'mailer' });
    else done(new Error('wrong password'));
  },
  onRcptTo: (_address, _session, done) => {
    if (refuses === 0) done();
    else done(Object.assign(new Error('not now'), { responseCode: refuses }));
  },
  onData: async (stream, { envelope }, done) => {
    const content = await text(stream);
    const sender = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
    received.push({ recipients: envelope.rcptTo.map(({ address }) => address), sender, content });
    await beforeAccepting();
    done();
  },
});

const running = useApp({ PUBLIC_URL: 'https://control.example.com' });
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  tenant = await createTenant(running.app, { account: 'one', workspaces: ['acme'] });
  ({ key } = await createKey(running.app, tenant));
  const { db } = running.app.services;
  const more = [
    { name: 'second@one.example.com', role: 'admin' as const },
    { name: 'member@one.example.com', role: 'member' as const },
    { name: 'gone@one.example.com', role: 'admin' as const, disabledAt: frozenNow },
    { name: 'no address', role: 'admin' as const },
  ];
  for (const { role, ...user } of more) {
    const principal = await db.principal.create({ data: { kind: 'user', ...user } });
    await db.accountMember.create({ data: { accountId: tenant.accountId, principalId: principal.id, role } });
  }
});

afterAll(() => new Promise<void>((resolve) => void server.close(resolve)));

beforeEach(async () => {
  await send();
  received.length = 0;
});

const smtp = (password = 'pass%20word') => ({
  SMTP_URL: `smtp://mailer:${password}@127.0.0.1:${port}`,
  SMTP_FROM: 'control@example.com',
});

const { queueExpiryEmails, sendEmails } = backgroundTasks;

/** Runs the tasks of email, as two processes do. */
async function send(settings: Record<string, string> = smtp()): Promise<void> {
  const config = { ...running.app.config, ...readConfig(settings), PUBLIC_URL: 'https://control.example.com' };
  const run = () => runBackgroundTasks(running.app.services, config, [queueExpiryEmails]);
  await Promise.all([run(), run()]);
  await Promise.all([deliver(config), deliver(config)]);
}

function deliver(config = { ...running.app.config, ...readConfig(smtp()) }): Promise<void> {
  return runBackgroundTasks(running.app.services, config, [sendEmails]);
}

/** Minutes. */
const day = 24 * 60;

const later = (minutes: number) => {
  running.app.clock.now = new Date(running.app.clock.now.getTime() + minutes * 60_000);
};

/** As if so many minutes had passed for the database, whose clock says when a message is due. */
const pass = async (minutes: number): Promise<void> => {
  await running.app.services.db
    .$executeRaw`UPDATE "email" SET "next_at" = "next_at" - ${minutes} * interval '1 minute'`;
};

const invite = (email: string) =>
  mutate(running.app, key, 'inviteMember', 'invitation { id }', { email, role: 'MEMBER' });

describe('invitations', () => {
  it('are sent once to the invited address, with the page that answers them', async () => {
    await invite('new@example.com');
    await send();
    await send();
    expect(received).toHaveLength(1);
    const [mail] = received;
    expect(mail?.recipients).toEqual(['new@example.com']);
    expect(mail?.sender).toBe('control@example.com');
    expect(mail?.content).toContain('Subject: You are invited to one');
    expect(mail?.content).toContain('https://control.example.com/v0/oauth/account?invitation=');
    expect(mail?.content).toContain('Auto-Submitted: auto-generated');
  });

  it('are not sent if they were revoked before', async () => {
    const { invitation } = await invite('soon@example.com');
    await mutate(running.app, key, 'revokeInvitation', 'invitation { id }', { id: invitation.id });
    await send();
    expect(received).toEqual([]);
  });

  it('are not sent when the server is turned on a day later, or while it is off', async () => {
    await invite('late@example.com');
    await send({});
    expect(received).toEqual([]);
    later(25 * 60);
    await send();
    running.app.clock.now = frozenNow;
    expect(received).toEqual([]);
  });
});

describe('budgets', () => {
  it('are sent once to every admin of the account when they reach a threshold', async () => {
    const meter = await createKey(running.app, { ...tenant, scope: 'usage:write admin' });
    const event = {
      source: 'test',
      id: '1',
      account: 'one',
      workspace: 'acme',
      resourceType: 'sandbox',
      resourceName: 'box',
      billingDimension: 'sandbox_compute_runtime_gbs',
      time: '2026-11-10T12:00:00Z',
      usage: '10',
      cost: '90',
    };
    expect((await rest(running.app, '/usage/events', { method: 'POST', key: meter.key, json: [event] })).status).toBe(
      200,
    );
    await mutate(running.app, key, 'createBudget', 'budget { name }', {
      account: 'one',
      name: 'monthly',
      amount: '100',
      period: 'MONTHLY',
      thresholds: [{ measure: 'ACTUAL', percent: 80 }],
    });
    await runBackgroundTasks(running.app.services, running.app.config, [backgroundTasks.checkBudgets]);
    await send();
    await send();
    const recipients = received.map((mail) => mail.recipients.join()).toSorted();
    expect([...new Set(recipients)]).toEqual(['owner@one.example.com', 'second@one.example.com']);
    const [first] = received;
    expect(first?.content).toContain('Subject: Budget monthly of one reached a threshold');
    expect(first?.content).toContain('https://control.example.com/a/one/budgets');
    const count = received.length;
    await send();
    expect(received).toHaveLength(count);
  });
});

describe('expiring keys', () => {
  const day = 24 * 60;
  const inDays = (days: number) => new Date(frozenNow.getTime() + days * day * 60_000);

  it('are announced once, a week before, to their owner and the admins', async () => {
    const { db } = running.app.services;
    const owner = await db.principal.findUniqueOrThrow({ where: { name: 'member@one.example.com' } });
    const { id } = await createKey(running.app, { ...tenant, principalId: owner.id, expiresAt: inDays(10) });
    const old = { createdAt: inDays(-20) };
    await db.apiKey.update({ where: { id }, data: { ...old, name: 'robot' } });
    const short = await createKey(running.app, { ...tenant, expiresAt: inDays(3) });
    await db.apiKey.update({ where: { id: short.id }, data: { createdAt: inDays(-2) } });
    const revoked = await createKey(running.app, { ...tenant, expiresAt: inDays(3) });
    await db.apiKey.update({ where: { id: revoked.id }, data: { ...old, revokedAt: frozenNow } });
    const rotated = await createKey(running.app, { ...tenant, expiresAt: inDays(3) });
    await db.apiKey.update({ where: { id: rotated.id }, data: { ...old, successorId: id } });
    await send();
    expect(received).toEqual([]);
    later(4 * day);
    await send();
    later(day);
    await send();
    running.app.clock.now = frozenNow;
    expect(received.map((mail) => mail.recipients.join()).toSorted()).toEqual([
      'member@one.example.com',
      'owner@one.example.com',
      'second@one.example.com',
    ]);
    const [first] = received;
    expect(first?.content).toContain('expires on 2026-11-30');
    expect(first?.content).toContain('The API key robot');
  });

  /** Queues email about keys of an account of their own. @returns the recipients, in the order of their messages. */
  async function queued(keys: readonly { owner: string; expiresAt: Date }[]): Promise<string[]> {
    const { app } = running;
    const { db } = app.services;
    const { id: accountId } = await db.account.create({ data: { name: 'many', plan: 'free' } });
    const owners = await db.principal.findMany({ where: { name: { in: keys.map(({ owner }) => owner) } } });
    const nameless = await db.principal.findUniqueOrThrow({ where: { name: 'no address' } });
    await db.accountMember.create({ data: { accountId, principalId: nameless.id, role: 'admin' } });
    const data = keys.map(({ owner, expiresAt }, n) => ({
      accountId,
      principalId: owners.find(({ name }) => name === owner)?.id ?? '',
      name: `key ${n}`,
      prefix: 'wcp_x',
      hash: Buffer.from(`key ${n}`),
      scope: 'admin',
      createdAt: inDays(-20),
      expiresAt,
    }));
    await db.apiKey.createMany({ data });
    await runBackgroundTasks(app.services, { ...app.config, ...readConfig(smtp()) }, [queueExpiryEmails]);
    const rows = await db.$queryRaw<{ recipient: string }[]>`
      SELECT "recipient" FROM "email" WHERE "account_id" = ${accountId}::uuid ORDER BY xmin::text::bigint`;
    await db.account.delete({ where: { id: accountId } });
    return rows.map(({ recipient }) => recipient);
  }

  it('are announced first that expire first', async () => {
    const owners = ['member', 'second', 'owner'].map((name) => `${name}@one.example.com`);
    expect(await queued(owners.map((owner, n) => ({ owner, expiresAt: inDays(3 - n) })))).toEqual(owners.toReversed());
  });

  it('are announced after many keys that nobody can be told of', async () => {
    const { db } = running.app.services;
    const { name: robot } = await db.principal.create({ data: { kind: 'service_account', name: 'a robot' } });
    const owner = 'member@one.example.com';
    const keys = Array.from({ length: 1_000 }, () => ({ owner: robot, expiresAt: inDays(3) }));
    expect(await queued([...keys, { owner, expiresAt: inDays(4) }])).toEqual([owner]);
  });
});

describe('names', () => {
  it('cannot add headers, recipients or a second body', async () => {
    const hostile = 'x\r\nBcc: evil@example.com\r\n\r\nSecond body\r\n.\r\nMAIL FROM:<evil@example.com>';
    const { db } = running.app.services;
    const recipients = [
      'first@example.com',
      'evil@example.com\r\nRCPT TO:<evil@example.com>',
      'a@example.com,evil@example.com',
      'a@example.com <evil@example.com>',
      '"a" evil@example.com',
    ];
    const accountId = tenant.accountId;
    await insertEmails(db, {
      accountId,
      reason: 'x',
      recipients,
      subject: hostile,
      body: `\n.\n${hostile}`,
      now: frozenNow,
    });
    await send();
    expect(received.map((mail) => mail.recipients)).toEqual([['first@example.com']]);
    const [mail] = received;
    const [head = ''] = (mail?.content ?? '').split('\r\n\r\n');
    expect(mail?.sender).toBe('control@example.com');
    expect(head).not.toMatch(/^(?:bcc|mail from)/im);
    expect(head.match(/^subject:/gim)).toHaveLength(1);
  });

  it('are sent in full, however long and in any script', async () => {
    const { db } = running.app.services;
    const [subject, body] = [`Übersicht ${'長い'.repeat(400)}`, 'ä😀'.repeat(5_000)];
    const recipients = ['long@example.com'];
    await insertEmails(db, { accountId: tenant.accountId, reason: 'y', recipients, subject, body, now: frozenNow });
    await send();
    const [mail] = received;
    expect(Math.max(...(mail?.content ?? '').split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(mail?.content).toMatch(/^Subject: =\?UTF-8\?/m);
  });
});

describe('the mail server', () => {
  it('is tried again after a pause when it cannot accept a message', async () => {
    refuses = 451;
    await invite('slow@example.com');
    await send();
    refuses = 0;
    await send();
    expect(received).toEqual([]);
    await pass(1);
    await send();
    expect(received.map((mail) => mail.recipients.join())).toEqual(['slow@example.com']);
  });

  it('gets each message once from two processes, however slow it is', async () => {
    const recipients = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@example.com`);
    const message = { accountId: tenant.accountId, reason: 'slow', subject: 'x', body: 'x', now: frozenNow };
    await insertEmails(running.app.services.db, { ...message, recipients });
    beforeAccepting = async () => {
      if (received.length > 4) return;
      await pass(19 / 60);
      if (received.length === 4) await deliver();
    };
    await deliver();
    beforeAccepting = async () => {};
    expect(received.map((mail) => mail.recipients.join()).toSorted()).toEqual(recipients);
  });

  it('does not get a message from a process that stood still after it took the message, but later', async () => {
    const { services } = running.app;
    const message = { accountId: tenant.accountId, reason: 'stalled', subject: 'x', body: 'x', now: frozenNow };
    await insertEmails(services.db, { ...message, recipients: ['stalled@example.com'] });
    const now = performance.now.bind(performance);
    let stalledMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + stalledMs);
    const stalling: Database = Object.create(services.db, {
      $text: {
        value: async (statement: Prisma.Sql) => {
          const text = await services.db.$text(statement);
          stalledMs += 31_000;
          return text;
        },
      },
    });
    const stopping = new AbortController().signal;
    await sendQueued(stalling, { url: smtp().SMTP_URL, from: smtp().SMTP_FROM, ...services, stopping });
    clock.mockRestore();
    await send();
    expect(received).toEqual([]);
    await pass(1);
    await send();
    expect(received.map((mail) => mail.recipients.join())).toEqual(['stalled@example.com']);
  });

  it('does not get a message twice from processes whose clocks differ', async () => {
    await invite('twice@example.com');
    refuses = 451;
    await deliver();
    refuses = 0;
    later(2);
    await send();
    later(-2);
    expect(received).toEqual([]);
    await pass(1);
    await send();
  });

  it('is not tried again for an address that it rejects', async () => {
    refuses = 550;
    await invite('unknown@example.com');
    await send();
    refuses = 0;
    await pass(day);
    await send();
    expect(received).toEqual([]);
  });

  it('gets the message later if it was not reachable, and the log never has its password', async () => {
    await invite('patient@example.com');
    const lines: string[] = [];
    const { services } = running.app;
    const { log } = services;
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk));
        done();
      },
    });
    services.log = createLog('debug', destination);
    await send(smtp('wrong-secret'));
    await pass(2);
    await send({ SMTP_URL: 'smtp://mailer:wrong-secret@127.0.0.1:1', SMTP_FROM: 'control@example.com' });
    services.log = log;
    expect(lines.join('')).toContain('cannot send email now');
    expect(lines.join('')).not.toContain('wrong-secret');
    expect(lines.join('')).not.toContain(Buffer.from('wrong-secret').toString('base64').slice(0, 8));
    await pass(day);
    await send();
    expect(received.map((mail) => mail.recipients.join())).toEqual(['patient@example.com']);
  });
});

it('keeps accounts apart: nobody gets email of another account', async () => {
  const other = await createTenant(running.app, { account: 'two', workspaces: ['elsewhere'] });
  const theirs = await createKey(running.app, other);
  await mutate(running.app, theirs.key, 'inviteMember', 'invitation { id }', {
    email: 'x@example.com',
    role: 'MEMBER',
  });
  await send();
  expect(received.map(({ recipients }) => recipients.join())).toEqual(['x@example.com']);
  expect(received[0]?.content).toContain('You are invited to two');
});

it('forgets email after three months', async () => {
  const { db } = running.app.services;
  expect(await db.email.count()).toBeGreaterThan(0);
  later(100 * day);
  await send({});
  expect(await db.email.count()).toBe(0);
  running.app.clock.now = frozenNow;
});
