// Accounts, workspaces, users and service accounts as an operator changes and deletes them.
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/run.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { addAgents, anAgent, rest, useApp } from '../harness.js';

const running = useApp();

async function run(line: string, ...more: string[]) {
  const { services, config } = running.app;
  const admin = { ...services, tokens: tokenSettings(config), folder: '.' };
  return runCommandLine(admin, [...line.split(' '), ...more]);
}

async function json(line: string, ...more: string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { stdout, stderr, exitCode } = await run(line, ...more, '--json');
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return JSON.parse(stdout);
}

async function refusal(line: string): Promise<string> {
  const { stdout, stderr, exitCode } = await run(line);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  return stderr.trim();
}

let tenants = 0;

async function createTenant() {
  const account = `frame-${++tenants}`;
  const tenant = { account, workspace: `${account}-main`, user: `ada@${account}.example.com` };
  const { id } = await json(`accounts create ${account} --plan free`);
  const { id: workspaceId } = await json(`workspaces create ${tenant.workspace} --account ${account}`);
  await json(`users create ${tenant.user} --account ${account} --role admin`);
  const { key } = await json(`keys create --scope admin --owner ${tenant.user} --account ${account} --name laptop`);
  return { ...tenant, id, workspaceId, key };
}

async function untilRefused(key: string): Promise<void> {
  await expect.poll(async () => (await rest(running.app, '/accounts', { key })).status, { interval: 50 }).toBe(401);
}

async function historyOf(accountId: string): Promise<[string, string, string | null, string][]> {
  const rows = await running.app.services.db.change.findMany({ where: { accountId }, orderBy: { sequence: 'asc' } });
  return rows.map(({ kind, verb, name, actorKind }) => [kind, verb, name, actorKind]);
}

describe('An account', () => {
  it('is updated, and keeps omitted fields', async () => {
    const { account, id } = await createTenant();
    await json(`accounts update ${account} --plan enterprise`);
    expect(await json(`accounts update ${account} --display-name`, 'Frame Ltd')).toMatchObject({ plan: 'enterprise' });
    const rows: { name: string }[] = await json('accounts list');
    expect(rows.find(({ name }) => name === account)).toMatchObject({ displayName: 'Frame Ltd', plan: 'enterprise' });
    expect((await historyOf(id)).slice(-2)).toEqual([
      ['ACCOUNT', 'updated', account, 'operator'],
      ['ACCOUNT', 'updated', account, 'operator'],
    ]);
  });

  it('is deleted if it has no workspace; its name can be reused', async () => {
    const { account, workspace, id, key } = await createTenant();
    expect((await rest(running.app, '/accounts', { key })).status).toBe(200);
    expect(await refusal(`accounts delete ${account}`)).toBe(
      `The account ${account} has 1 workspace. Delete its workspaces first.`,
    );
    await json(`workspaces delete ${workspace}`);
    await json(`accounts delete ${account}`);
    await untilRefused(key);
    expect((await historyOf(id)).at(-1)).toEqual(['ACCOUNT', 'deleted', account, 'operator']);
    const again = await json(`accounts create ${account}`);
    expect(again.id).not.toBe(id);
    expect(await historyOf(again.id)).toEqual([]);
    expect(await running.app.services.db.accountMember.count({ where: { accountId: again.id } })).toBe(0);
  });

  it('must exist', async () => {
    for (const line of ['accounts delete nowhere', 'accounts update nowhere --plan free']) {
      expect(await refusal(line)).toBe('There is no account named "nowhere" here.');
    }
  });
});

describe('A workspace', () => {
  it('is updated', async () => {
    const { account, workspace, workspaceId, id } = await createTenant();
    const printed = await json(`workspaces update ${workspace} --display-name`, 'The main one');
    expect(printed).toEqual({ id: workspaceId, name: workspace, displayName: 'The main one', account });
    const row = await running.app.services.db.workspace.findUniqueOrThrow({ where: { name: workspace } });
    expect(row).toMatchObject({ displayName: 'The main one', version: 2 });
    expect((await historyOf(id)).at(-1)).toEqual(['WORKSPACE', 'updated', workspace, 'operator']);
  });

  it('is deleted if it is empty; its keys end, and its name is free', async () => {
    const { account, workspace, workspaceId, user, id } = await createTenant();
    const place = `--owner ${user} --account ${account} --workspace ${workspace}`;
    const { key } = await json(`keys create --scope admin ${place} --name confined`);
    await addAgents(running.app, workspaceId, [anAgent('one')]);
    expect(await refusal(`workspaces delete ${workspace}`)).toContain('is not empty (agent: 1)');
    expect((await rest(running.app, '/accounts', { key })).status).toBe(200);
    await running.app.services.db.agent.deleteMany({ where: { workspaceId } });
    await json(`workspaces delete ${workspace}`);
    await untilRefused(key);
    expect(await historyOf(id)).toContainEqual(['WORKSPACE', 'deleted', workspace, 'operator']);
    await json(`workspaces create ${workspace} --account ${account}`);
  });

  it('must exist', async () => {
    expect(await refusal('workspaces delete nowhere')).toBe('There is no workspace named "nowhere" here.');
  });
});

describe('A user', () => {
  it('is renamed, and the old name is free', async () => {
    const { account, user, key, id } = await createTenant();
    await json(`users update ${user} --new-name Grace@${account}.example.com --display-name`, 'Grace H.');
    const rows: { name: string }[] = await json('users list');
    expect(rows.find(({ name }) => name === `grace@${account}.example.com`)).toMatchObject({ displayName: 'Grace H.' });
    expect((await rest(running.app, '/accounts', { key })).status).toBe(200);
    expect((await historyOf(id)).at(-1)).toEqual(['USER', 'updated', `grace@${account}.example.com`, 'operator']);
    await json(`users create ${user}`);
    expect(await refusal(`users update ${user} --new-name grace@${account}.example.com`)).toContain('is taken');
  });

  it('is deleted with all memberships and credentials, and the name can be reused', async () => {
    const { account, user, key, id } = await createTenant();
    const { db } = running.app.services;
    const expiresAt = new Date(running.app.clock.now.getTime() + 60_000);
    await db.invitation.create({ data: { accountId: id, name: user, role: 'admin', expiresAt } });
    await json(`users delete ${user}`);
    await untilRefused(key);
    expect((await historyOf(id)).at(-1)).toEqual(['USER', 'deleted', user, 'operator']);
    await json(`users create ${user}`);
    expect(await json('users list')).toContainEqual(expect.objectContaining({ name: user, accounts: '' }));
    expect(await db.invitation.findMany({ where: { accountId: id } })).toMatchObject([{ status: 'revoked' }]);
    expect(await refusal(`keys create --scope admin --owner ${user} --account ${account} --name x`)).toBe(
      `${user} is not a member of the account ${account}.`,
    );
  });

  it('is deleted only by the command for their type', async () => {
    const { user } = await createTenant();
    expect(await refusal(`service-accounts delete ${user}`)).toBe(`There is no service account named "${user}" here.`);
    expect(await refusal('users update nobody@example.com --new-name x@example.com')).toBe(
      'There is no user named "nobody@example.com" here.',
    );
  });
});
