import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isApiKey } from '../../src/auth/api-key.js';
import type { CommandResult } from '../../src/cli/print.js';
import { runCommandLine } from '../../src/cli/run.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { frozenNow, rest, useApp } from '../harness.js';

const test = useApp();

/** Where the files are that commands are given. */
const folder = mkdtempSync(join(tmpdir(), 'control-plane-admin-'));

/** Runs a command; words with spaces are given on their own. */
async function run(line: string, ...more: string[]): Promise<CommandResult> {
  const { services, config } = test.app;
  return runCommandLine({ ...services, tokens: tokenSettings(config), folder }, [...line.split(' '), ...more]);
}

/** Runs a command that has to succeed, and reads its JSON. */
async function json(line: string, ...more: string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { stdout, stderr, exitCode } = await run(line, ...more, '--json');
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return JSON.parse(stdout);
}

async function expectRefusal(line: string, message: string, exitCode = 1): Promise<void> {
  expect(await run(line)).toEqual({ stdout: '', stderr: `${message}\n`, exitCode });
}

let tenants = 0;

/** A new account with one workspace and its admin. */
async function createTenant(): Promise<{ account: string; workspace: string; user: string }> {
  const account = `tenant-${++tenants}`;
  const tenant = { account, workspace: `${account}-production`, user: `ada@${account}.example.com` };
  await json(`accounts create ${account}`);
  await json(`workspaces create ${tenant.workspace} --account ${account}`);
  await json(`users create ${tenant.user} --account ${account} --role admin`);
  return tenant;
}

/** The status of a request with a credential. */
async function statusWith(key: string): Promise<number> {
  return (await rest(test.app, '/agents', { key })).status;
}

async function expectStatusWithinOneSecond(key: string, status: number): Promise<void> {
  await expect.poll(() => statusWith(key), { timeout: 1_000, interval: 50 }).toBe(status);
}

describe('accounts', () => {
  it('are created and listed, as text and as JSON', async () => {
    const created = await run('accounts create acme --plan enterprise --display-name', 'Acme Ltd');
    expect(created).toEqual({ stdout: 'Created the account acme.\n', stderr: '', exitCode: 0 });
    const listed = await json('accounts list');
    const row = { name: 'acme', displayName: 'Acme Ltd', plan: 'enterprise' };
    expect(listed).toEqual([{ ...row, createdAt: expect.any(String), id: expect.any(String) }]);
    const { stdout } = await run('accounts list');
    expect(stdout).toMatch(
      /^NAME {2}DISPLAY NAME {2}PLAN {8}CREATED AT +ID\nacme {2}Acme Ltd {6}enterprise {2}\S+ +\S+\n$/,
    );
  });

  it('have unique names', async () => {
    await json('accounts create twice');
    await expectRefusal('accounts create twice', 'The name "twice" is taken by another account.');
  });

  it.each(['Acme', 'a_b', '-a', 'a'.repeat(50)])('cannot be named %s', async (name) => {
    const { stderr, exitCode } = await run('accounts create --', name);
    expect(stderr).toMatch(/^NAME: .+\n$/);
    expect(exitCode).toBe(2);
  });
});

describe('workspaces', () => {
  it('are listed for all accounts or for one', async () => {
    const one = await createTenant();
    const other = await createTenant();
    const rows: { name: string }[] = await json('workspaces list');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining([one.workspace, other.workspace]));
    expect(await json(`workspaces list --account ${one.account}`)).toMatchObject([
      { name: one.workspace, account: one.account },
    ]);
  });

  it('have names that are unique among all accounts', async () => {
    const { workspace } = await createTenant();
    const { account } = await createTenant();
    await expectRefusal(
      `workspaces create ${workspace} --account ${account}`,
      `The name "${workspace}" is taken by another workspace.`,
    );
  });

  it.each(['workspaces create prod --account nowhere', 'workspaces list --account nowhere'])(
    'require their account: %s',
    (line) => expectRefusal(line, 'There is no account named "nowhere" here.'),
  );
});

describe('users and service accounts', () => {
  it('are created with their roles; a member of a workspace is a member of its account', async () => {
    const { account, workspace } = await createTenant();
    await json(`service-accounts create bot-1 --workspace ${workspace} --workspace-role admin`);
    const rows: { name: string }[] = await json('service-accounts list');
    expect(rows.find(({ name }) => name === 'bot-1')).toMatchObject({
      accounts: `${account}:member`,
      workspaces: `${workspace}:admin`,
      disabledAt: null,
    });
  });

  it('store email addresses in lower case, and accept them in any case', async () => {
    const { account } = await createTenant();
    expect(await json('users create Grace@Example.COM')).toMatchObject({ name: 'grace@example.com' });
    await json(`members set GRACE@example.com --account ${account} --role member`);
    const rows: { name: string }[] = await json('users list');
    expect(rows.find(({ name }) => name === 'grace@example.com')).toMatchObject({ accounts: `${account}:member` });
  });

  it('share their names', async () => {
    await json('service-accounts create bot-2');
    await expectRefusal(
      'service-accounts create bot-2',
      'The name "bot-2" is taken by another user or service account.',
    );
  });

  it.each([
    ['users create someone', 'EMAIL: must be an email address'],
    ['users create a@example.com --account acme --role owner', '--role: must be admin, member or viewer'],
    ['users create a@example.com --role admin', '"users create": --role requires --account'],
    ['users create a@example.com --workspace-role admin', '"users create": --workspace-role requires --workspace'],
    [
      'service-accounts create A',
      'NAME: must be 1 to 49 lowercase letters, digits and hyphens, with a letter or digit at both ends',
    ],
  ])('are rejected: %s', (line, message) => expectRefusal(line, message, 2));

  it('lose their credentials while they are disabled', async () => {
    const { account, user } = await createTenant();
    const { key } = await json(`keys create --scope admin --owner ${user} --account ${account} --name laptop`);
    expect(await statusWith(key)).toBe(200);
    await json(`users disable ${user}`);
    await expectStatusWithinOneSecond(key, 401);
    await expectRefusal(
      `keys create --scope admin --owner ${user} --account ${account} --name x`,
      `${user} is disabled.`,
    );
    await json(`users enable ${user}`);
    await expectStatusWithinOneSecond(key, 200);
  });

  it('are disabled only by the command for their type', async () => {
    const { user } = await createTenant();
    await expectRefusal(`service-accounts disable ${user}`, `There is no service account named "${user}" here.`);
    await expectRefusal('users disable nobody', 'There is no user named "nobody" here.');
  });
});

describe('members', () => {
  it('get another role', async () => {
    const { account, workspace, user } = await createTenant();
    expect(await run(`members set ${user} --account ${account} --role member`)).toMatchObject({
      stdout: `${user} now has the role member in the account ${account}.\n`,
    });
    await json(`members set ${user} --workspace ${workspace} --role admin`);
    const rows: { name: string }[] = await json('users list');
    expect(rows.find(({ name }) => name === user)).toMatchObject({
      accounts: `${account}:member`,
      workspaces: `${workspace}:admin`,
    });
  });

  it('leave an account with all its workspaces, and their keys stop working', async () => {
    const { account, workspace } = await createTenant();
    await json(`service-accounts create bot-3 --workspace ${workspace}`);
    const { key } = await json(`keys create --scope admin --owner bot-3 --account ${account} --name x`);
    expect(await statusWith(key)).toBe(200);
    await json(`members remove bot-3 --account ${account}`);
    await expectStatusWithinOneSecond(key, 401);
    const rows: { name: string }[] = await json('service-accounts list');
    expect(rows.find(({ name }) => name === 'bot-3')).toMatchObject({ accounts: '', workspaces: '' });
    await expectRefusal(
      `members remove bot-3 --account ${account}`,
      `bot-3 is not a member of the account ${account}.`,
    );
    await expectRefusal(
      `members remove bot-3 --workspace ${workspace}`,
      `bot-3 is not a member of the workspace ${workspace}.`,
    );
  });

  it.each([
    ['members set x --role admin', '"members set": requires either --account or --workspace', 2],
    ['members remove x --account a --workspace b', '"members remove": requires either --account or --workspace', 2],
    ['members set x --workspace nowhere --role admin', 'There is no workspace named "nowhere" here.', 1],
  ])('are rejected: %s', (line, message, exitCode) => expectRefusal(line, message, exitCode));

  it('must exist', async () => {
    const { account } = await createTenant();
    const message = 'There is no user or service account named "nobody" here.';
    await expectRefusal(`members set nobody --account ${account} --role admin`, message);
  });
});

describe('keys', () => {
  it('are printed once, on the last line of standard output', async () => {
    const { account, user } = await createTenant();
    const { stdout, stderr } = await run(
      `keys create --scope admin --owner ${user} --account ${account} --name`,
      'my laptop',
    );
    const key = stdout.trimEnd();
    expect(isApiKey(key)).toBe(true);
    expect(stderr).toMatch(
      /^Created the API key wcp_\w{6}… .* It expires at 2027-11-20T12:00:00\.000Z\. .*not shown again\.\n$/,
    );
    expect(await statusWith(key)).toBe(200);
    const listed = await run(`keys list --account ${account}`);
    expect(listed.stdout).toContain(key.slice(0, 10));
    expect(listed.stdout).not.toContain(key);
  });

  it('are listed with owner, account or workspace, and times', async () => {
    const { account, workspace, user } = await createTenant();
    const { key, id, prefix } = await json(
      `keys create --scope admin --owner ${user} --account ${account} --workspace ${workspace} --name ci --expires 90d`,
    );
    await statusWith(key);
    // Last uses are gathered for a moment before they are noted.
    const lastUse = async () => (await json(`keys list --account ${account}`))[0].lastUsedAt;
    await expect.poll(lastUse, { timeout: 5_000 }).toBe(frozenNow.toISOString());
    expect(await json(`keys list --account ${account}`)).toEqual([
      {
        name: 'ci',
        prefix,
        owner: user,
        account,
        workspace,
        scope: 'admin',
        addresses: '',
        createdAt: frozenNow.toISOString(),
        createdBy: null,
        createdWith: null,
        expiresAt: '2027-02-18T12:00:00.000Z',
        lastUsedAt: frozenNow.toISOString(),
        revokedAt: null,
        id,
      },
    ]);
  });

  it('are revoked with the keys that they created', async () => {
    const { account, user } = await createTenant();
    const created = await json(`keys create --scope admin --owner ${user} --account ${account} --name parent`);
    const child = await json(`keys create --scope admin --owner ${user} --account ${account} --name child`);
    const { db } = test.app.services;
    await db.apiKey.update({ where: { id: child.id }, data: { parentId: created.id } });
    const { stdout } = await run(`keys revoke ${created.id} --descendants yes`);
    expect(stdout).toContain(`Also revoked: ${child.prefix}… (child).`);
    await expect.poll(() => statusWith(child.key), { timeout: 1_000, interval: 50 }).toBe(401);
    await expectRefusal(
      `keys create --scope admin --owner ${user} --account ${account} --name a\u202Eb`,
      '--name: must not contain characters that change the direction of text, such as U+202E',
      2,
    );
    await expectRefusal(`keys revoke ${created.id} --descendants maybe`, '--descendants: must be yes or no', 2);
  });

  it.each(['id', 'prefix', 'key'])('are revoked by their %s within one second, idempotently', async (by) => {
    const { account, user } = await createTenant();
    const created = await json(`keys create --scope admin --owner ${user} --account ${account} --name x`);
    expect(await statusWith(created.key)).toBe(200);
    const revoked = await json(`keys revoke ${created[by]}`);
    expect(revoked).toMatchObject({ id: created.id, revokedAt: frozenNow.toISOString() });
    await expectStatusWithinOneSecond(created.key, 401);
    expect(await json(`keys revoke ${created[by]}`)).toEqual(revoked);
  });

  it('allow only the operations of their scopes', async () => {
    const { account, user } = await createTenant();
    const key = await json(
      `keys create --owner ${user} --account ${account} --name ci --scope`,
      'agents:list agents:get',
    );
    expect(key.scope).toBe('agents:get agents:list');
    expect(await statusWith(key.key)).toBe(200);
    expect((await rest(test.app, '/accounts', { key: key.key })).status).toBe(403);
  });

  it('work only from the addresses that they are confined to', async () => {
    const { account, user } = await createTenant();
    const create = (ranges: string) =>
      json(`keys create --scope admin --owner ${user} --account ${account} --name x --addresses`, ranges);
    expect(await statusWith((await create('127.0.0.0/8, ::1')).key)).toBe(200);
    expect(await statusWith((await create('203.0.113.0/24 2001:db8::/32')).key)).toBe(403);
    const listed: { addresses: string }[] = await json(`keys list --account ${account}`);
    expect(listed.map(({ addresses }) => addresses)).toEqual(['127.0.0.0/8 ::1/128', '203.0.113.0/24 2001:db8::/32']);
    const refused = await run(
      `keys create --scope admin --owner ${user} --account ${account} --name x --addresses 10.0.0.0/33`,
    );
    expect(refused).toMatchObject({
      stderr: '--addresses: 10.0.0.0/33 is not an address range such as 203.0.113.0/24\n',
      exitCode: 2,
    });
  });

  it('expire at the given time, never if requested, and after a year by default', async () => {
    const { account, user } = await createTenant();
    const create = `keys create --scope admin --owner ${user} --account ${account} --name x`;
    expect((await json(`${create} --expires never`)).expiresAt).toBeNull();
    expect((await json(`${create} --expires 30m`)).expiresAt).toBe('2026-11-20T12:30:00.000Z');
    expect((await json(create)).expiresAt).toBe('2027-11-20T12:00:00.000Z');
  });

  it('are rotated: both work until the overlap ends, and the new key is like the old one', async () => {
    const { account, user } = await createTenant();
    const old = await json(
      `keys create --scope agents:list --owner ${user} --account ${account} --name ci --expires never`,
    );
    const fresh = await json(`keys rotate ${old.prefix} --overlap 2h`);
    expect(fresh).toMatchObject({ name: 'ci', scope: 'agents:list', expiresAt: '2027-11-20T12:00:00.000Z' });
    expect([await statusWith(old.key), await statusWith(fresh.key)]).toEqual([200, 200]);
    const listed: { id: string; expiresAt: string }[] = await json(`keys list --account ${account}`);
    expect(listed.find(({ id }) => id === old.id)?.expiresAt).toBe('2026-11-20T14:00:00.000Z');
    await expectRefusal(
      `keys rotate ${old.prefix}`,
      `The API key ${old.prefix}… has expired, was revoked or was already rotated.`,
    );
    const { key } = await json(`keys rotate ${fresh.id} --overlap 0`);
    await expectStatusWithinOneSecond(fresh.key, 401);
    expect(await statusWith(key)).toBe(200);
    await expectRefusal(`keys rotate ${fresh.id} --overlap 31d`, '--overlap: must be at most 30d', 2);
  });

  it('are not revoked by an ambiguous prefix', async () => {
    const { account, user } = await createTenant();
    const { id, prefix, key } = await json(`keys create --scope admin --owner ${user} --account ${account} --name x`);
    const other = await json(`keys create --scope admin --owner ${user} --account ${account} --name y`);
    await test.app.services.db.apiKey.update({ where: { id: other.id }, data: { prefix } });
    for (const which of [prefix, key])
      await expectRefusal(
        `keys revoke ${which}`,
        `Several API keys start with ${prefix}. Use the id of one of them: ${[id, other.id].toSorted().join(', ')}.`,
      );
  });

  it.each(['wcp_000000', '01a1fcec-a6c3-7443-9c60-52b1128c86f4', '%'])('are not found: %s', (which) =>
    expectRefusal(`keys revoke ${which}`, `There is no API key named "${which}" here.`),
  );

  it('are created only for members of the account or workspace', async () => {
    const { account, workspace, user } = await createTenant();
    const other = await createTenant();
    await json(`members set ${user} --account ${account} --role member`);
    const create = `keys create --name x --scope admin --owner ${user} --account`;
    await expectRefusal(`${create} ${other.account}`, `${user} is not a member of the account ${other.account}.`);
    await expectRefusal(
      `${create} ${account} --workspace ${workspace}`,
      `${user} is not a member of the workspace ${workspace}.`,
    );
    await expectRefusal(
      `${create} ${account} --workspace ${other.workspace}`,
      `The workspace ${other.workspace} belongs to the account ${other.account}, not to ${account}.`,
    );
    await expectRefusal(`${create} ${account} --expires 2020-01-01`, '--expires: must be in the future', 2);
  });
});

describe('tokens', () => {
  it('are issued, listed, and revoked within one second', async () => {
    const { account, user } = await createTenant();
    const { stdout, stderr } = await run(`tokens create --owner ${user} --account ${account} --scope agents:list`);
    const token = stdout.trimEnd();
    expect(stderr).toMatch(/^Issued the access token \S+\. It expires at 2026-11-20T12:15:00\.000Z\.\n$/);
    expect(await statusWith(token)).toBe(200);
    const rows: { id: string; account: string }[] = await json('tokens list');
    const row = rows.find((each) => each.account === account);
    expect(row).toMatchObject({ owner: user, scope: 'agents:list', workspace: null, revokedAt: null });
    await json(`tokens revoke ${row?.id}`);
    await expectStatusWithinOneSecond(token, 401);
  });

  it('require existing scopes', async () => {
    const create = 'tokens create --owner x --account y --scope';
    expect((await run(create, 'agents:list agents:fly')).stderr).toBe('--scope: unknown scope agents:fly\n');
    expect((await run(create, 'models:list')).stderr).toBe('--scope: no operation of this service uses models:list\n');
    expect(await run(create, ' ')).toMatchObject({
      stderr: '--scope: must contain at least one scope, such as agents:list\n',
      exitCode: 2,
    });
  });

  it.each(['nothing', '01a1fcec-a6c3-7443-9c60-52b1128c86f4'])('are not found: %s', (id) =>
    expectRefusal(`tokens revoke ${id}`, `There is no access token named "${id}" here.`),
  );
});

describe('signing keys', () => {
  it('rotate, and tokens of the old one stay valid', async () => {
    const { account, user } = await createTenant();
    const { token } = await json(`tokens create --owner ${user} --account ${account} --scope agents:list`);
    const { kid } = await json('signing-keys rotate');
    const next = await json(`tokens create --owner ${user} --account ${account} --scope agents:list`);
    const rows: { kid: string; retiredAt: string | null }[] = await json('signing-keys list');
    expect(rows.filter(({ retiredAt }) => retiredAt === null)).toMatchObject([{ kid }]);
    await expectStatusWithinOneSecond(next.token, 200);
    expect(await statusWith(token)).toBe(200);
  });
});

describe('configuration', () => {
  const valid = {
    continents: [{ name: 'EU', displayName: 'Europe' }],
    countries: [{ name: 'DE', displayName: 'Germany' }],
    regions: [
      { name: 'eu-open-1', continent: 'EU', country: 'DE', location: 'Berlin' },
      { name: 'eu-closed-1', continent: 'EU', country: 'DE', accounts: [] },
    ],
  };
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);

  it('is set from a file, and its regions are listed', async () => {
    write('regions.json', JSON.stringify(valid));
    expect(await run('configuration set regions.json')).toEqual({
      stdout: 'Replaced the configuration. It has 2 regions in 1 country on 1 continent.\n',
      stderr: '',
      exitCode: 0,
    });
    expect(await json('configuration regions')).toEqual([
      { name: 'eu-closed-1', country: 'DE', location: null, accounts: '' },
      { name: 'eu-open-1', country: 'DE', location: 'Berlin', accounts: 'all' },
    ]);
  });

  it('is rejected with every invalid field, and stays unchanged', async () => {
    const regions = [
      { name: 'eu-open-1', continent: 'EU', contry: 'DE' },
      { name: 'eu-open-1', continent: 'NA', country: 'DE', accounts: ['nobody'] },
      { name: 'eu-open-2', continent: 'EU', country: 'DE', allowed: 'false', egressAvailable: 'yes' },
    ];
    write('wrong.json', JSON.stringify({ ...valid, regions, privateLocations: [{ name: 'cellar' }] }));
    const problems = [
      'regions.0.country is required',
      'regions.0.contry is not a known field',
      'regions.2.egressAvailable must be true or false',
      'regions.1.name must be unique: an earlier entry has this name',
      'regions.1.continent must be the name of an existing continent (got "NA")',
      'regions.1.accounts.0 must be the name of an existing account (got "nobody")',
      'regions.2.accounts is required to restrict the region',
      'privateLocations.0.account is required',
    ];
    const message = problems.map((problem) => `wrong.json: ${problem}`).join('\n');
    await expectRefusal('configuration set wrong.json', message, 2);
    write('broken.json', '{');
    expect((await run('configuration set broken.json')).stderr).toMatch(/^broken\.json: .*JSON/);
    expect((await run('configuration set no-such.json')).stderr).toMatch(/^no-such\.json: ENOENT/);
    expect(await json('configuration regions')).toHaveLength(2);
  });

  it('can be set from the output of GET /v0/configuration, and keeps fields without output', async () => {
    const { account, user } = await createTenant();
    const other = await createTenant();
    const position = { latitude: 53.55, longitude: 9.99 };
    const regions = [
      ...valid.regions,
      { name: 'eu-mine-1', continent: 'EU', country: 'DE', position, accounts: [account] },
    ];
    const privateLocations = [
      { name: 'cellar', account },
      { name: 'attic', account: other.account },
    ];
    write('mine.json', JSON.stringify({ ...valid, regions, privateLocations }));
    await json('configuration set mine.json');
    const { token } = await json(`tokens create --owner ${user} --account ${account} --scope admin`);
    const stored = async () => {
      const { db } = test.app.services;
      const regionRows = await db.region.findMany({ include: { accounts: true }, orderBy: { name: 'asc' } });
      return { regionRows, locationRows: await db.privateLocation.findMany({ orderBy: { name: 'asc' } }) };
    };
    const before = await stored();
    const printed = await rest(test.app, '/configuration', { key: token });
    write('printed.json', JSON.stringify(printed.body));
    expect(await run('configuration set printed.json')).toMatchObject({ stderr: '', exitCode: 0 });
    expect((await rest(test.app, '/configuration', { key: token })).body).toEqual(printed.body);
    expect(await stored()).toEqual(before);
    // A region that moves to another city is no longer where it was.
    const moved = (printed.body as { regions: { name: string }[] }).regions.map((region) =>
      region.name === 'eu-mine-1' ? { ...region, location: 'Munich' } : region,
    );
    write('printed.json', JSON.stringify({ ...(printed.body as object), regions: moved }));
    await json('configuration set printed.json');
    const { regionRows } = await stored();
    expect(regionRows.find(({ name }) => name === 'eu-mine-1')).toMatchObject({
      location: 'Munich',
      latitude: null,
      longitude: null,
      accounts: [{ regionName: 'eu-mine-1' }],
    });
  });
});
