// Resources with `metadata.protected` are not deleted by anything until the field is removed.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addRegions, historyOf, mutate } from './mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main', 'vault', 'race'] });
  key = (await createKey(running.app, tenant)).key;
  await addRegions(running.app);
  await create('Sandbox', { metadata: { name: 'box' } });
  await create('Vpc', { metadata: { name: 'net' } });
  await create('EgressGateway', { vpcName: 'net', metadata: { name: 'gate' }, spec: { region: 'eu-egress' } });
});

const fieldOf = (kind: string) => `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
const selection = (kind: string) => `${fieldOf(kind)} { version metadata { protected } }`;
const create = (kind: string, input: object) =>
  mutate(running.app, key, `create${kind}`, selection(kind), { ...inWorkspace(kind, input), ...input });
const update = (kind: string, input: object) =>
  mutate(running.app, key, `update${kind}`, selection(kind), { ...inWorkspace(kind, input), ...input });
const remove = (kind: string, input: object) =>
  mutate(running.app, key, `delete${kind}`, '__typename', { ...inWorkspace(kind, input), ...input });

function inWorkspace(kind: string, input: object): object {
  return kind === 'Workspace' || 'workspace' in input ? {} : { workspace: 'main' };
}

const kinds: [kind: string, label: string, place: object, spec: object | undefined][] = [
  ['Agent', 'agent', {}, undefined],
  ['Sandbox', 'sandbox', {}, undefined],
  ['SandboxPreview', 'preview', { sandboxName: 'box' }, { port: 80 }],
  ['Job', 'job', {}, undefined],
  ['Volume', 'volume', {}, { region: 'eu-open', sizeMb: 1 }],
  ['Vpc', 'VPC', {}, undefined],
  ['EgressGateway', 'egress gateway', { vpcName: 'net' }, { region: 'eu-egress' }],
  ['EgressIp', 'egress IP', { vpcName: 'net', gatewayName: 'gate' }, undefined],
];

describe.each(kinds)('A protected %s', (kind, label, place, spec) => {
  const address = { ...place, name: 'kept' };

  it('is not deleted until the field is false or removed', async () => {
    const created = await create(kind, {
      ...place,
      metadata: { name: 'kept', protected: true },
      ...(spec && { spec }),
    });
    expect(created[fieldOf(kind)]).toEqual({ version: 1, metadata: { protected: true } });
    for (const validateOnly of [true, false]) {
      const refused = await mutate(running.app, key, `delete${kind}`, '__typename', {
        workspace: 'main',
        ...address,
        validateOnly,
      });
      expect(refused).toMatchObject({ __typename: 'ConflictError', code: 'protected' });
      expect(refused.message).toBe(
        `metadata.protected is true for the ${label} "kept", so it cannot be deleted. Set the field to false with an update first.`,
      );
    }
    expect((await update(kind, { ...address, metadata: { displayName: 'Kept' } }))[fieldOf(kind)]).toEqual({
      version: 2,
      metadata: { protected: true },
    });
    const none = kind === 'Agent' ? false : null;
    const updated = await update(kind, { ...address, metadata: { protected: none } });
    expect(updated[fieldOf(kind)]).toEqual({ version: 3, metadata: { protected: null } });
    expect((await update(kind, { ...address, metadata: { protected: false } }))[fieldOf(kind)].version).toBe(3);
    expect((await update(kind, { ...address, metadata: { protected: true } }))[fieldOf(kind)].version).toBe(4);
    expect(await remove(kind, address)).toMatchObject({ code: 'protected' });
    await update(kind, { ...address, metadata: { protected: false } });
    expect(await remove(kind, address)).toEqual({ __typename: `Delete${kind}Payload` });
    const history = await historyOf(running.app, tenant);
    const changes = history.filter((change) => change.fields.includes('metadata.protected'));
    expect(changes.slice(-3).map(({ name, verb }) => [name, verb])).toEqual(
      Array.from({ length: 3 }, () => ['kept', 'updated']),
    );
  });
});

describe('Protection of a resource in another one', () => {
  it('keeps its sandbox, and everything else in it', async () => {
    await create('Sandbox', { metadata: { name: 'host' } });
    const place = { sandboxName: 'host' };
    for (const name of ['first', 'kept', 'last']) {
      await create('SandboxPreview', { ...place, metadata: { name, protected: name === 'kept' }, spec: { port: 80 } });
    }
    const refused = await remove('Sandbox', { name: 'host' });
    expect(refused).toMatchObject({ code: 'protected' });
    expect(refused.message).toContain('the preview "kept", which would be deleted too');
    const query = '{ sandbox(workspace: "main", name: "host") { previews { nodes { name } } } }';
    const { body } = await graphql(running.app, key, query);
    expect(body.data.sandbox.previews.nodes).toHaveLength(3);
    await update('SandboxPreview', { ...place, name: 'kept', metadata: { protected: null } });
    expect(await remove('Sandbox', { name: 'host' })).toEqual({ __typename: 'DeleteSandboxPayload' });
  });

  it.each(kinds.filter(([, , place]) => Object.keys(place).length === 0))(
    'keeps a workspace with a protected %s, also if its deletion is forced',
    async (kind, label, _place, spec) => {
      const where = { workspace: 'vault' };
      await create(kind, { ...where, metadata: { name: 'kept', protected: true }, ...(spec && { spec }) });
      const refused = await remove('Workspace', { name: 'vault', force: true });
      expect(refused).toMatchObject({ __typename: 'ConflictError', code: 'protected' });
      expect(refused.message.toLowerCase()).toContain(`the ${label.toLowerCase()} "kept", which would be deleted too`);
      await update(kind, { ...where, name: 'kept', metadata: { protected: false } });
      const dry = await remove('Workspace', { name: 'vault', force: true, validateOnly: true });
      expect(dry).toEqual({ __typename: 'DeleteWorkspacePayload' });
    },
  );
});

describe('REST', () => {
  it('refuses the deletion of a protected preview and egress IP with 409', async () => {
    const place = { sandboxName: 'box' };
    await create('SandboxPreview', { ...place, metadata: { name: 'web', protected: true }, spec: { port: 80 } });
    await create('EgressIp', { vpcName: 'net', gatewayName: 'gate', metadata: { name: 'web', protected: true } });
    const headers = { 'x-service-workspace': 'main' };
    for (const path of ['/sandboxes/box/previews/web', '/vpcs/net/egressgateways/gate/ips/web']) {
      const refused = await rest(running.app, path, { key, method: 'DELETE', headers });
      expect(refused.status).toBe(409);
      expect(refused.body).toEqual({
        error: 'protected',
        code: 409,
        message: expect.stringContaining('metadata.protected is true'),
      });
    }
    await update('SandboxPreview', { ...place, name: 'web', metadata: { protected: false } });
    const deleted = await rest(running.app, '/sandboxes/box/previews/web', { key, method: 'DELETE', headers });
    expect(deleted.status).toBe(200);
    expect(deleted.body.metadata).not.toHaveProperty('protected');
  });

  it('prints the same documents as before', async () => {
    await create('Agent', { metadata: { name: 'printed', protected: true } });
    const headers = { 'x-service-workspace': 'main' };
    for (const version of ['2026-04-16', '2026-04-28']) {
      const { body } = await rest(running.app, '/agents', { key, version, headers });
      expect(JSON.stringify(body)).toContain('"printed"');
      expect(JSON.stringify(body)).not.toContain('protected');
    }
    const openapi = await fetch(`${running.app.origin}/v0/openapi.json`);
    expect(await openapi.text()).not.toContain('"protected":{');
  });
});

describe('Concurrent requests', () => {
  it('delete a resource before it is protected, or not at all', async () => {
    for (let round = 0; round < 8; round++) {
      const name = `agent-${round}`;
      const where = { workspace: 'race', name };
      await create('Agent', { workspace: 'race', metadata: { name } });
      const [protectedOne, removed] = await Promise.all([
        update('Agent', { ...where, metadata: { protected: true } }),
        remove('Agent', where),
      ]);
      const { body } = await graphql(
        running.app,
        key,
        `{ agent(workspace: "race", name: "${name}") { metadata { protected } } }`,
      );
      const outcome = [protectedOne.__typename, removed.code ?? removed.__typename, body.data.agent];
      expect([
        ['UpdateAgentPayload', 'protected', { metadata: { protected: true } }],
        ['NotFoundError', 'DeleteAgentPayload', null],
      ]).toContainEqual(outcome);
    }
  });
});
