// Executors of the command line: creation, work and revocation.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../src/cli/print.js';
import { runCommandLine } from '../../src/cli/run.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import { addRegions, mutate } from '../resources/mutations.js';

const running = useApp();
const folder = mkdtempSync(join(tmpdir(), 'control-plane-admin-'));
let key: string;

beforeAll(async () => {
  const { app } = running;
  ({ key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] })));
  await addRegions(app);
});

async function run(line: string): Promise<CommandResult> {
  return runCommandLine({ ...running.app.services, folder }, line.split(' '));
}

async function json(line: string): Promise<ReturnType<typeof JSON.parse>> {
  const { stdout, stderr, exitCode } = await run(`${line} --json`);
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return JSON.parse(stdout);
}

async function claim(executor: string): Promise<{ id: string; fence: number }[] | undefined> {
  const query = `mutation { executorClaimAssignments(input: {first: 10}) {
    ... on ExecutorClaimAssignmentsPayload { assignments { id fence } } ... on Error { code } } }`;
  const { body } = await graphql(running.app, executor, query);
  return body.data?.executorClaimAssignments.assignments;
}

describe('executors', () => {
  it('are created with a key that is shown once, and claim their work with it', async () => {
    const { stdout, stderr, exitCode } = await run('executors create north --regions eu-open --kinds agent,sandbox');
    expect(exitCode).toBe(0);
    expect(stderr).toBe(
      'Registered the executor north for eu-open. Its key expires at 2027-11-20T12:00:00.000Z. Save it now. It is not shown again.\n',
    );
    const { app } = running;
    for (const [name, region] of [
      ['here', 'eu-open'],
      ['there', 'eu-egress'],
    ]) {
      await mutate(app, key, 'createAgent', '__typename', { metadata: { name }, spec: { region } });
    }
    expect(await claim(stdout.trim())).toHaveLength(1);
    expect(JSON.stringify(await json('executors list'))).not.toContain(stdout.trim());
  });

  it('are listed with regions and kinds, the last use, and the prefix of the key', async () => {
    const made = await json('executors create everywhere --regions * --kinds all');
    const rows: { name: string }[] = await json('executors list');
    expect(rows.map(({ name }) => name)).toEqual(['everywhere', 'north']);
    expect(rows[0]).toEqual({
      name: 'everywhere',
      regions: '*',
      kinds: 'Agent Sandbox SandboxPreview Job Volume Vpc EgressGateway EgressIp JobExecution AgentInvocation',
      prefix: made.key.slice(0, 10),
      addresses: '',
      createdAt: frozenNow.toISOString(),
      expiresAt: '2027-11-20T12:00:00.000Z',
      lastSeenAt: null,
      revokedAt: null,
    });
    expect(rows[1]).toMatchObject({ regions: 'eu-open', kinds: 'Agent Sandbox', lastSeenAt: expect.any(String) });
    const { stdout } = await run('executors list');
    expect(stdout).toMatch(/^name +regions +kinds/i);
  });

  it('are revoked permanently: the key is rejected, their work is released, and a second time changes nothing', async () => {
    const { app } = running;
    const { key: held } = await json('executors create brief --regions eu-egress --kinds agent');
    await mutate(app, key, 'createAgent', '__typename', {
      metadata: { name: 'passed-on' },
      spec: { region: 'eu-egress' },
    });
    const [mine] = (await claim(held)) ?? [];
    expect(mine).toBeDefined();
    const { stdout, exitCode } = await run('executors revoke brief');
    expect({ stdout, exitCode }).toEqual({
      stdout: `Revoked the executor brief as of ${frozenNow.toISOString()}.\n`,
      exitCode: 0,
    });
    // The key is cached briefly, and cannot release anything.
    expect((await claim(held)) ?? []).toEqual([]);
    await expect.poll(() => claim(held)).toBeUndefined();
    app.clock.now = new Date(frozenNow.getTime() + 60_000);
    expect(await json('executors revoke brief')).toEqual({ name: 'brief', revokedAt: frozenNow.toISOString() });
    app.clock.now = frozenNow;
    const { key: next } = await json('executors create next --regions eu-egress --kinds agent');
    const again = (await claim(next))?.find(({ id }) => id === mine?.id);
    expect(again?.fence).toBeGreaterThan(mine?.fence ?? 0);
  });

  it('have keys that expire, checked at every request, and that can be extended', async () => {
    const { app } = running;
    const made = await json('executors create expiring --regions eu-open --kinds agent --expires 2h');
    expect(await claim(made.key)).toEqual([]);
    app.clock.now = new Date(frozenNow.getTime() + 2 * 3_600_000);
    // Without a new lookup: the cached caller has the expiry.
    expect(await claim(made.key)).toBeUndefined();
    const { status, body } = await graphql(app, made.key, '{ viewer { name } }');
    expect([status, body.errors[0].message]).toEqual([401, 'The credential has expired.']);
    const { stdout } = await run('executors update expiring --expires 3h');
    expect(stdout).toContain('expires at 2026-11-20T17:00:00.000Z and works from any address');
    await expect.poll(() => claim(made.key)).toEqual([]);
    await json('executors update expiring --expires never');
    expect(
      (await json('executors create lasting --regions eu-open --kinds agent --expires never')).expiresAt,
    ).toBeNull();
    app.clock.now = new Date(frozenNow.getTime() + 9_000 * 3_600_000);
    await expect.poll(() => claim(made.key)).toEqual([]);
    app.clock.now = frozenNow;
  });

  it('have keys that work only from their address ranges, also on an open wait', async () => {
    const made = await run('executors create confined --regions eu-open --kinds agent --addresses 203.0.113.0/24');
    const confined = made.stdout.trim();
    const { status, body } = await graphql(running.app, confined, '{ viewer { name } }');
    expect([status, body.errors[0].message]).toEqual([403, 'This executor key cannot be used from your IP address.']);
    expect(await claim(confined)).toBeUndefined();
    const stored = await running.app.services.db.executor.findUniqueOrThrow({ where: { name: 'confined' } });
    expect(stored.lastSeenAt).toBeNull();
    const updated = await run('executors update confined --addresses 127.0.0.1/32,::1');
    expect(updated.stdout).toContain('works from 127.0.0.1/32, ::1/128');
    await expect.poll(() => claim(confined)).toEqual([]);
    await json('executors update confined --addresses 198.51.100.7');
    await expect.poll(() => claim(confined)).toBeUndefined();
    await json('executors update confined --addresses any');
    await expect.poll(() => claim(confined)).toEqual([]);
  });

  it('show their expiry to admins of an account, and their address ranges to admins of the platform only', async () => {
    await json('executors create shown --regions * --kinds agent --expires 1h --addresses 203.0.113.0/24');
    const query = '{ executors(first: 100, search: "shown") { nodes { name health expiresAt addressRanges } } }';
    const nodes = async () => (await graphql(running.app, key, query)).body.data.executors.nodes;
    const expiresAt = new Date(frozenNow.getTime() + 3_600_000).toISOString();
    expect(await nodes()).toEqual([{ name: 'shown', health: 'SILENT', expiresAt, addressRanges: null }]);
    running.app.clock.now = new Date(frozenNow.getTime() + 3_600_000);
    expect((await nodes())[0].health).toBe('EXPIRED');
    running.app.clock.now = frozenNow;
    Object.assign(running.app.services, { platformAccount: 'northwind' });
    expect((await nodes())[0].addressRanges).toEqual(['203.0.113.0/24']);
    Object.assign(running.app.services, { platformAccount: undefined });
  });

  it('are deleted after they are revoked, and their name is free again', async () => {
    expect((await run('executors delete next')).stderr).toContain('is not revoked. Revoke it first');
    await json('executors revoke next');
    expect((await run('executors delete next')).stdout).toBe('Deleted the executor next.\n');
    await json('executors create next --regions eu-egress --kinds agent');
  });

  it.each([
    ['create north --regions eu-open --kinds agent', 'The name "north" is taken by another executor.'],
    ['create moon --regions moon-1 --kinds agent', 'moon-1'],
    ['create moon --regions eu-open --kinds cheese,agent', 'unknown kind cheese'],
    ['create moon --regions , --kinds agent', 'must contain at least one name'],
    ['create Moon --regions eu-open --kinds agent', 'must be 1 to 49 lowercase letters, digits and hyphens'],
    ['create moon --regions eu-open', '--kinds'],
    ['create moon --regions eu-open --kinds agent --expires 2020-01-01', '--expires: must be in the future'],
    ['create moon --regions eu-open --kinds agent --expires soon', 'must be a date'],
    [
      'create moon --regions eu-open --kinds agent --addresses 300.0.0.1',
      '--addresses: must be address ranges such as 203.0.113.0/24, or any',
    ],
    ['update moon --expires 1h', 'moon'],
    ['update everywhere', '--expires or --addresses: must be set'],
    ['revoke moon', 'moon'],
    ['delete moon', 'moon'],
    ['destroy moon', 'executors'],
  ])('are rejected with field and rule: %s', async (line, told) => {
    const { stdout, stderr, exitCode } = await run(`executors ${line}`);
    expect({ stdout, isRefused: exitCode !== 0 }).toEqual({ stdout: '', isRefused: true });
    expect(stderr).toContain(told);
    const rows: { name: string }[] = await json('executors list');
    expect(rows.filter(({ name }) => name === 'moon')).toEqual([]);
  });
});
