// The command line's changes of access are in the change log of the account, visible to its admins.
import { beforeEach, describe, expect, it } from 'vitest';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { useUsageCommandLine } from '../usage-command-line.js';

const running = useApp();
const { run } = useUsageCommandLine(running, []);
let tenant: Tenant;
let key: string;
let count = 0;
let mark: string;

beforeEach(async () => {
  mark = `o${count++}`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [`${mark}-main`] });
  ({ key } = await createKey(running.app, tenant));
  await running.app.services.db.principal.create({ data: { kind: 'user', name: `ann@${mark}.example.com` } });
});

async function told(): Promise<object[]> {
  const query =
    '{ changes { nodes { kind action name workspaceName actor { kind name } client time fields before after message } } }';
  const { body } = await graphql(running.app, key, query);
  expect(body.errors).toBeUndefined();
  return body.data.changes.nodes;
}

async function done(line: string): Promise<void> {
  const { exitCode, stderr } = await run(line);
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
}

const byOperator = { actor: { kind: 'OPERATOR', name: null }, client: 'command line', time: frozenNow.toISOString() };

describe('The change log of operator commands', () => {
  it('records members who were added, changed and removed, and no command without effect', async () => {
    const ann = `ann@${mark}.example.com`;
    await done(`members set ${ann} --account ${mark} --role viewer`);
    await done(`members set ${ann} --account ${mark} --role viewer`);
    await done(`members set ${ann} --account ${mark} --role member`);
    await done(`members set ${ann} --workspace ${mark}-main --role admin`);
    await done(`members remove ${ann} --workspace ${mark}-main`);
    const member = { ...byOperator, kind: 'MEMBER', name: ann };
    expect(await told()).toEqual([
      {
        ...member,
        action: 'CREATED',
        workspaceName: null,
        fields: [],
        before: null,
        after: { role: 'viewer' },
        message: `viewer of the account ${mark}`,
      },
      {
        ...member,
        action: 'UPDATED',
        workspaceName: null,
        fields: ['role'],
        before: { role: 'viewer' },
        after: { role: 'member' },
        message: `member of the account ${mark}`,
      },
      {
        ...member,
        action: 'CREATED',
        workspaceName: `${mark}-main`,
        fields: [],
        before: null,
        after: { role: 'admin' },
        message: `admin of the workspace ${mark}-main`,
      },
      {
        ...member,
        action: 'DELETED',
        workspaceName: `${mark}-main`,
        fields: [],
        before: { role: 'admin' },
        after: null,
        message: `No longer a member of the workspace ${mark}-main`,
      },
    ]);
  });

  it('records a new user of the account and of its workspace', async () => {
    await done(`users create bob@${mark}.example.com --account ${mark} --role viewer --workspace ${mark}-main`);
    expect(await told()).toMatchObject([
      {
        kind: 'MEMBER',
        action: 'CREATED',
        name: `bob@${mark}.example.com`,
        after: { role: 'viewer' },
        workspaceName: null,
      },
      { kind: 'MEMBER', action: 'CREATED', after: { role: 'member' }, workspaceName: `${mark}-main` },
    ]);
  });

  it('records keys and users, and never a key itself', async () => {
    const owner = `owner@${mark}.example.com`;
    const made = await run(`keys create --owner ${owner} --account ${mark} --name laptop --scope admin --json`);
    const { id, key: secret }: { id: string; key: string } = JSON.parse(made.stdout);
    await done(`keys rotate ${id}`);
    await done(`keys revoke ${id}`);
    await done(`keys revoke ${id}`);
    await done(`users disable ${owner}`);
    await done(`users enable ${owner}`);
    const changes = await told();
    expect(changes).toMatchObject([
      { ...byOperator, kind: 'API_KEY', action: 'CREATED', name: 'laptop' },
      { ...byOperator, kind: 'API_KEY', action: 'CREATED', name: 'laptop' },
      { ...byOperator, kind: 'API_KEY', action: 'UPDATED', name: 'laptop' },
      { ...byOperator, kind: 'API_KEY', action: 'REVOKED', name: 'laptop' },
      { ...byOperator, kind: 'USER', action: 'UPDATED', name: owner, message: 'Disabled' },
      { ...byOperator, kind: 'USER', action: 'UPDATED', name: owner, message: 'Enabled' },
    ]);
    expect(secret).toMatch(/^wcp_/);
    expect(JSON.stringify(changes)).not.toContain(secret);
  });

  it('records OAuth clients of the account without their secrets, and no others', async () => {
    const client = `${mark}-meter`;
    const acting = `--owner owner@${mark}.example.com --account ${mark}`;
    const made = await run(`clients create ${client} --grants client_credentials --scope usage:write ${acting} --json`);
    const { secret }: { secret: string } = JSON.parse(made.stdout);
    const rotated = await run(`clients rotate-secret ${client} --json`);
    const { secret: next }: { secret: string } = JSON.parse(rotated.stdout);
    await done(`clients update ${client} --scope metrics:read`);
    await done(`clients update ${client} --scope metrics:read`);
    await done(`clients revoke ${client}`);
    await done(`clients revoke ${client}`);
    await done(`clients delete ${client}`);
    await done(
      `clients create ${mark}-page --type public --grants authorization_code --redirect-uris https://a.example.com --scope admin`,
    );
    const changes = await told();
    const ofClient = { ...byOperator, kind: 'OAUTH_CLIENT', name: client, workspaceName: null };
    expect(changes).toMatchObject([
      { ...ofClient, action: 'CREATED', after: { grants: ['client_credentials'], scopes: ['usage:write'] } },
      { ...ofClient, action: 'UPDATED', message: 'Secret rotated' },
      { ...ofClient, action: 'UPDATED', fields: ['scopes'], after: { scopes: ['metrics:read'] } },
      { ...ofClient, action: 'REVOKED', fields: ['revokedAt'] },
      { ...ofClient, action: 'DELETED', after: null },
    ]);
    for (const each of [secret, next]) {
      expect(each).toMatch(/^wcs_/);
      expect(JSON.stringify(changes)).not.toContain(each);
    }
  });
});
