// Quotas on the command line.
import { beforeAll, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/run.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { createKey, createTenant, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { historyOf, mutate } from '../resources/mutations.js';

const running = useApp();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main'] });
});

async function run(line: string) {
  const { services, config } = running.app;
  return runCommandLine({ ...services, tokens: tokenSettings(config), folder: '/' }, line.split(' '));
}

const done = async (line: string) => {
  const result = await run(line);
  expect({ line, ...result }).toMatchObject({ line, exitCode: 0, stderr: '' });
  return result.stdout;
};

it('sets, shows and removes limits of an account, and records the operator', async () => {
  expect(await done('quotas set AGENT=1,memory=4096 --account northwind')).toBe(
    'Set the quotas of the account northwind.\n',
  );
  const { key } = await createKey(running.app, tenant);
  const create = (name: string) =>
    mutate(running.app, key, 'createAgent', '__typename', { workspace: 'main', metadata: { name } });
  await create('one');
  expect(await create('two')).toMatchObject({ code: 'quota_exceeded', limit: 1, actual: 2 });
  expect(JSON.parse(await done('quotas get --account northwind --json'))).toEqual([
    { resource: 'AGENT', limit: '1', used: '1', source: 'own' },
    { resource: 'MEMORY', limit: '4096', used: '0', source: 'own' },
  ]);
  await done('quotas set AGENT=none --account northwind');
  expect(await create('two')).toMatchObject({ __typename: 'CreateAgentPayload' });
  const changes = (await historyOf(running.app, tenant)).filter(
    ({ kind, verb }) => kind === 'QUOTA' && verb !== 'threshold_reached',
  );
  expect(changes).toMatchObject([
    { verb: 'created', actorKind: 'operator', after: { limits: { AGENT: 1, MEMORY: 4_096 } } },
    { verb: 'updated', actorKind: 'operator', after: { limits: { MEMORY: 4_096 } } },
  ]);
});

it('sets those of a workspace and of a plan', async () => {
  await done('quotas set JOB=0 --workspace main');
  expect(await done('quotas get --workspace main')).toContain('JOB');
  await done('quotas set VOLUME=3 --plan enterprise');
  expect(JSON.parse(await done('quotas get --account northwind --json'))).toContainEqual({
    resource: 'VOLUME',
    limit: '3',
    used: '0',
    source: 'plan',
  });
});

it.each(['AGENT', 'AGENT=', 'AGENT=-1', 'AGENTS=1', 'AGENT=1=2', 'AGENT=1,,JOB=2'])(
  'refuses the limits %s',
  async (limits) => {
    const { exitCode, stderr } = await run(`quotas set ${limits} --account northwind`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('must be limits such as AGENT=10,MEMORY=none');
  },
);

it('refuses an unknown account', async () => {
  const { exitCode, stderr } = await run('quotas get --account nobody');
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('nobody') });
});

it('names the account in which a workspace or a region was not found', async () => {
  await createTenant(running.app, { account: 'contoso', workspaces: ['other'] });
  for (const [line, subject] of [
    ['quotas get --account contoso --workspace main', 'workspace named "main" in the account "contoso"'],
    ['quotas get --account contoso --region mars', 'region named "mars" here'],
    ['quotas get --workspace nowhere', 'workspace named "nowhere" here'],
  ] as const) {
    expect(await run(line)).toEqual({ exitCode: 1, stdout: '', stderr: `There is no ${subject}.\n` });
  }
});

it('records limits in the log of their account only, by the operator, also with an account of the platform', async () => {
  const platform = await createTenant(running.app, { account: 'platform', workspaces: ['home'] });
  Object.assign(running.app.services, { platformAccount: 'platform' });
  await done('quotas set SANDBOX=7 --workspace main');
  await done('quotas set SANDBOX=5 --plan team');
  Object.assign(running.app.services, { platformAccount: undefined });
  const quotasOf = async (whose: Tenant) =>
    (await historyOf(running.app, whose)).filter(({ after }) => JSON.stringify(after ?? {}).includes('SANDBOX'));
  expect(await quotasOf(tenant)).toMatchObject([{ actorKind: 'operator', after: { limits: { SANDBOX: 7 } } }]);
  expect(await quotasOf(platform)).toMatchObject([{ actorKind: 'operator', after: { limits: { SANDBOX: 5 } } }]);
});

it('sets limits of an account while the account of PLATFORM_ACCOUNT does not exist, but not those of a plan', async () => {
  Object.assign(running.app.services, { platformAccount: 'nobody' });
  await done('quotas set VPC=2 --account northwind');
  const { exitCode, stderr } = await run('quotas set VPC=2 --plan team');
  Object.assign(running.app.services, { platformAccount: undefined });
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('PLATFORM_ACCOUNT') });
});
