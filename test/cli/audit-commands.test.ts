// `audit export`: the changes of all accounts or one, as text for programs.
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { authorizeWorkspace } from '../../src/auth/authorize.js';
import { openContext } from '../../src/http/open-context.js';
import { recordChanges } from '../../src/changes/record-changes.js';
import { beginSignIn } from '../../src/accounts/sign-ins.js';
import { createKey, createTenant, frozenNow, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';
import { useUsageCommandLine } from './usage-command-line.js';

const running = useApp();
const { folder, run } = useUsageCommandLine(running, []);
const hourMs = 3_600_000;
let tenant: Tenant;

/** Records changes at a time, by an admin of the account. */
async function record(names: string[], of: Tenant, workspace: string, hoursAgo = 0): Promise<void> {
  const { app } = running;
  app.clock.now = new Date(frozenNow.getTime() - hoursAgo * hourMs);
  const { key } = await createKey(app, of);
  const ctx = await openContext(app.services, { authorization: `Bearer ${key}` }, 'request-1', '192.0.2.7');
  const after = { metadata: { name: 'a "quoted", name' } };
  const event = { type: 'update', status: 'UPDATED', message: 'line one\nline two' };
  await authorizeWorkspace(ctx, 'admin', workspace).transaction((tx) =>
    recordChanges(
      tx,
      names.map((name) => ({
        kind: 'AGENT',
        verb: 'updated',
        resourceId: tx.account.id,
        name,
        before: {},
        after,
        event,
      })),
    ),
  );
  app.clock.now = frozenNow;
}

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  const other = await createTenant(app, { account: 'southwind', workspaces: ['south'] });
  await record(['old'], tenant, 'main', 48);
  await record(['new'], tenant, 'main', 1);
  await record(['theirs'], other, 'south');
});

/** The output of a command line. */
async function written(line: string): Promise<string> {
  const standardOutput = new PassThrough();
  const content = text(standardOutput);
  const result = await run(line, { standardOutput });
  standardOutput.end();
  expect(result).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  return content;
}

const recordsOf = (lines: string): Record<string, unknown>[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const namesOf = (records: readonly Record<string, unknown>[]) => records.map(({ name }) => name);

describe('audit export', () => {
  it('writes a JSON object per line for each change of every account, each in its order', async () => {
    const records = recordsOf(await written('audit export'));
    expect(namesOf(records)).toEqual(['old', 'new', 'theirs']);
    expect(records[1]).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      time: '2026-11-20T11:00:00.000Z',
      account: 'northwind',
      workspace: 'main',
      kind: 'AGENT',
      verb: 'updated',
      name: 'new',
      resourceId: tenant.accountId,
      version: null,
      actorKind: 'user',
      actor: 'owner@northwind.example.com',
      client: expect.stringMatching(/^api_key wcp_/),
      requestId: 'request-1',
      address: '192.0.2.7',
      fields: ['metadata'],
      status: 'UPDATED',
      message: 'line one\nline two',
      count: 1,
      before: {},
      after: { metadata: { name: 'a "quoted", name' } },
    });
  });

  it('writes the same as CSV that a CSV parser reads', async () => {
    const rows: Record<string, string>[] = parse(await written('audit export --format csv --account northwind'), {
      columns: true,
    });
    expect(namesOf(rows)).toEqual(['old', 'new']);
    expect(rows[1]).toMatchObject({ message: 'line one\nline two', fields: 'metadata', version: '', before: '{}' });
    expect(JSON.parse(rows[1]?.['after'] ?? '')).toEqual({ metadata: { name: 'a "quoted", name' } });
  });

  it.each([
    ['--since 2h', ['new', 'theirs']],
    ['--since 30d', ['old', 'new', 'theirs']],
    ['--since 2026-11-20', ['new', 'theirs']],
    ['--since 2026-11-20T11:00:00.001Z', ['theirs']],
    ['--since 2h --account northwind', ['new']],
    ['--until 2h', ['old']],
    ['--since 2026-11-18 --until 2026-11-20', ['old']],
    ['--actor owner@southwind.example.com', ['theirs']],
    ['--address 192.0.2.7 --since 2h', ['new', 'theirs']],
    ['--address 192.0.2.8', []],
    ['--client nobody', []],
  ])('with %s contains %j', async (options, names) => {
    expect(namesOf(recordsOf(await written(`audit export ${options}`)))).toEqual(names);
  });

  it('contains sign-ins and denied requests', async () => {
    const { app } = running;
    const { services } = app;
    const guests = await createTenant(app, { account: 'leeward', workspaces: [] });
    const [user, address, requestId] = [
      { id: guests.principalId, name: 'owner@leeward.example.com' },
      '192.0.2.9',
      'request-9',
    ];
    const visit = { user, address, requestId, now: frozenNow };
    const browser = { cookie: undefined, userAgent: undefined };
    await beginSignIn(services.db, visit, browser, { message: 'Signed in by password' });
    const { key } = await createKey(app, { ...guests, scope: 'jobs:list' });
    expect((await rest(app, '/agents', { key })).status).toBe(403);
    await services.deniedRequests.settle();
    const records = recordsOf(await written('audit export --account leeward'));
    expect(records).toMatchObject([
      { kind: 'SIGN_IN', verb: 'created', name: user.name, actor: user.name, client: 'session browser', address },
      { kind: 'ACCESS', verb: 'denied', name: 'ListAgents', actor: user.name, count: 1 },
    ]);
    await services.db.change.deleteMany({ where: { accountId: guests.accountId } });
    await services.db.changeHead.deleteMany({ where: { accountId: guests.accountId } });
  });

  it('writes to a new file with permissions for its owner only, and never overwrites a file', async () => {
    expect((await run('audit export --output audit.jsonl')).exitCode).toBe(0);
    const path = join(folder, 'audit.jsonl');
    expect(recordsOf(readFileSync(path, 'utf8'))).toHaveLength(3);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeFileSync(path, 'mine');
    const again = await run('audit export --output audit.jsonl');
    expect(again).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^--output: .*audit\.jsonl already exists\. /),
    });
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it.each([
    ['audit export --account nobody', 1, /There is no account named "nobody"/],
    ['audit export --since yesterday', 2, /^--since: must be a date/],
    ['audit export --until soon', 2, /^--until: must be a date/],
    ['audit export --since 0000-01-01', 2, /^--since: must be a date/],
    ['audit export --since 2026-11-20T00:00:00+23:00', 2, /^--since: must be a date/],
    ['audit export --until 9999-12-31T23:00:00-05:00', 2, /^--until: must be a date/],
    ['audit export --format xml', 2, /^--format: must be one of: jsonl, csv/],
    ['audit export', 2, /^--output: must be a file here/],
  ])('rejects %s', async (line, exitCode, stderr) => {
    expect(await run(line)).toEqual({ stdout: '', stderr: expect.stringMatching(stderr), exitCode });
  });

  it.each(['audit export', 'metrics export --account northwind --from 2026-11-01T00:00:00Z --to 2026-11-20T00:00:00Z'])(
    'reports that the output is incomplete after an interrupt: %s',
    async (line) => {
      const interrupting = new AbortController();
      const standardOutput = new Writable({ write: () => interrupting.abort() });
      const result = await run(line, { standardOutput, interrupted: interrupting.signal });
      expect(result).toEqual({ stdout: '', stderr: 'Interrupted. The output is incomplete.\n', exitCode: 1 });
    },
  );

  it.each(['audit export', 'metrics export --account northwind --from 2026-11-01T00:00:00Z --to 2026-11-20T00:00:00Z'])(
    'leaves no file after an interrupt: %s',
    async (line) => {
      const interrupted = AbortSignal.abort();
      const before = readdirSync(folder);
      expect(await run(`${line} --output interrupted`, { interrupted })).toEqual({
        stdout: '',
        stderr: 'Interrupted. Nothing was written.\n',
        exitCode: 1,
      });
      expect(readdirSync(folder)).toEqual(before);
    },
  );

  it('leaves no file if the database fails in the middle', async () => {
    const { app } = running;
    const before = readdirSync(folder);
    let statements = 0;
    const db = new Proxy(app.services.db, {
      get: (target, name, receiver) => {
        const value: unknown = Reflect.get(target, name, receiver);
        if (name !== '$text' || typeof value !== 'function') return value;
        return (...sql: unknown[]) => {
          if (++statements > 1) throw new Error('Connection terminated unexpectedly');
          return Reflect.apply(value, target, sql);
        };
      },
    });
    const { exitCode, stderr } = await run('audit export --output broken', { db });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: 'The database is not reachable. Try again.\n' });
    expect(statements).toBe(2);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('reads one page at a time for a slow reader, and stops when the reader closes', async () => {
    const { app } = running;
    const large = await createTenant(app, { account: 'westwind', workspaces: ['west'] });
    for (let batch = 0; batch < 5; batch++) {
      await record(
        Array.from({ length: 500 }, (_, index) => `agent-${batch * 500 + index}`),
        large,
        'west',
      );
    }
    app.statements.length = 0;
    const pages = () => app.statements.filter((sql) => sql.includes('"change" AS c')).length;
    let isEnough = () => {};
    const stuck = new Writable({
      highWaterMark: 1,
      write: (_piece, _encoding, done) => {
        isEnough = () => done(Object.assign(new Error('closed'), { code: 'EPIPE' }));
      },
    });
    stuck.on('error', () => {});
    const exporting = run('audit export --account westwind', { standardOutput: stuck });
    await vi.waitUntil(() => pages() >= 1, { timeout: 20_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(pages()).toBeLessThan(5);
    isEnough();
    expect(await exporting).toMatchObject({ exitCode: 0 });
    expect(recordsOf(await written('audit export --account westwind'))).toHaveLength(2_500);
  });

  it('never contains a secret', async () => {
    const { app } = running;
    const own = await createTenant(app, { account: 'eastwind', workspaces: ['east'] });
    await addPlatform(app, own.workspaces['east'] ?? '', 'one');
    const content = await written('audit export --account eastwind');
    expect(content).not.toContain('secret of one');
    expect(content).not.toContain('do not tell');
    expect(recordsOf(content).length).toBeGreaterThan(5);
  });
});

describe('A formula in the change log', () => {
  it('is guarded in CSV, unless the texts are to be raw', async () => {
    const formula = '=HYPERLINK("https://example.com","x")';
    const careful = await createTenant(running.app, { account: 'careful', workspaces: ['careful'] });
    await record([formula], careful, 'careful');
    const namesOf = async (more: string) =>
      parse(await written(`audit export --account careful --format csv${more}`), {
        columns: true,
        record_delimiter: '\r\n',
      }).map((row) => Object(row).name);
    expect(await namesOf('')).toContain(`'${formula}`);
    expect(await namesOf(' --raw no')).toContain(`'${formula}`);
    expect(await namesOf(' --raw yes')).toContain(formula);
  });

  it.each(['jsonl', undefined])('has no guard in the format %s, so the option is refused', async (format) => {
    const line = `audit export${format === undefined ? '' : ` --format ${format}`} --raw yes`;
    expect(await run(line)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('--raw: is only available for csv'),
    });
  });
});
