// Webhooks created, listed and updated by the admins of their tenant only.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { historyOf, keyOfSomebody, mutate, problemsOf, untilWaiting } from '../resources/mutations.js';
import { urlColumns } from '../../src/webhooks/webhook.js';
import { webhooksMax } from '../../src/webhooks/webhooks.js';

const running = useApp();
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  tenant = await createTenant(running.app, { account: 'northwind', workspaces: ['main', 'side'] });
  ({ key } = await createKey(running.app, tenant));
});

const url = 'https://hooks.example.com/in';
const made = (input: object, by = key) =>
  mutate(
    running.app,
    by,
    'createWebhook',
    'secret webhook { id name url status version workspace { name } filter { kinds names workspaces resource } }',
    {
      name: 'a webhook',
      url,
      ...input,
    },
  );

const listed = async (by: string, place = 'workspace(name: "main") { webhooks') => {
  const { body } = await graphql(running.app, by, `{ place: ${place} { totalCount nodes { id name } } } }`);
  return body.errors?.[0].extensions.code ?? body.data.place?.webhooks;
};

describe('A webhook', () => {
  it('is created with a secret that is shown once, and returns its fields', async () => {
    const resource = Buffer.from('1:Agent:00000000-0000-4000-8000-000000000000').toString('base64url');
    const filter = { kinds: ['AGENT'], names: ['one'], workspaces: ['side'], resource };
    const answer = await made({ filter });
    expect(answer.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(answer.webhook).toMatchObject({
      name: 'a webhook',
      url,
      status: 'ACTIVE',
      version: 1,
      workspace: null,
      filter,
    });
    const query =
      'query ($id: ID!) { node(id: $id) { ... on Webhook { name url filter { kinds } account { name } } } }';
    const { body } = await graphql(running.app, key, query, { id: answer.webhook.id });
    expect(body.data.node).toEqual({
      name: 'a webhook',
      url,
      filter: { kinds: ['AGENT'] },
      account: { name: 'northwind' },
    });
  });

  it('returns all validation errors', async () => {
    expect(problemsOf(await made({ name: '', url: 'http://hooks.example.com' }))).toEqual([
      'name too_short',
      'url invalid_format',
    ]);
    for (const wrong of [
      'ftp://hooks.example.com',
      'hooks.example.com',
      'https://me:secret@hooks.example.com',
      'https://127.0.0.1/in',
      'https://2130706433/in',
      'https://[::1]/in',
      'https://[::ffff:10.0.0.1]/in',
      'https://169.254.169.254/latest/meta-data',
      `https://hooks.example.com/${'x'.repeat(2_048)}`,
    ]) {
      expect(problemsOf(await made({ url: wrong }))).toHaveLength(1);
    }
    expect(await made({ url: 'https://hooks.example.com:0/in' })).toMatchObject({
      message: 'url must not have port 0, on which nothing can listen',
    });
    const time = { from: '2026-01-01T00:00:00Z' };
    expect(await made({ filter: { time } })).toMatchObject({ code: 'invalid_parameter' });
    expect(await made({ workspace: 'main', filter: { workspaces: ['main'] } })).toMatchObject({
      code: 'invalid_parameter',
    });
    expect(await made({ workspace: 'main', filter: { addresses: ['::1'] } })).toMatchObject({
      code: 'invalid_parameter',
    });
    expect(await made({ filter: { workspaces: ['elsewhere'] } })).toMatchObject({ code: 'forbidden' });
    expect(await made({ filter: { names: Array.from({ length: 101 }, String) } })).toMatchObject({
      code: 'invalid_parameter',
    });
  });

  it('is updated by concurrent editors in turn, and deleted once', async () => {
    const { webhook } = await made({});
    const twelve = Array.from({ length: 12 }, (_, index) => index);
    const change = (mutation: string, input: object = {}) =>
      mutate(running.app, key, mutation, 'webhook { version previousSecretExpiresAt }', { id: webhook.id, ...input });
    const changed = await Promise.all(
      twelve.map((index) =>
        index % 2 === 0 ? change('updateWebhook', { name: `${index}` }) : change('rotateWebhookSecret'),
      ),
    );
    const versions = changed.map((answer) => answer.webhook.version);
    expect(versions.toSorted((one, other) => one - other)).toEqual(twelve.map((index) => index + 2));
    const ended = await Promise.all(twelve.map(() => change('deleteWebhook', { ifVersion: 13 })));
    expect(ended.flatMap((answer) => answer.webhook ?? [])).toHaveLength(1);
    expect(ended.filter(({ code }) => code === 'not_found')).toHaveLength(11);
  });

  it('rejects invalid updates with all errors, including those of its filter', async () => {
    const { webhook } = await made({});
    const filter = { time: { from: '2026-01-01T00:00:00Z' } };
    const wrong = { name: '', url: 'http://hooks.example.com', filter };
    const refused = await mutate(running.app, key, 'updateWebhook', 'webhook { version }', {
      id: webhook.id,
      ...wrong,
    });
    expect(problemsOf(refused)).toEqual(['name too_short', 'url invalid_format', 'filter.time invalid_value']);
    expect(problemsOf(await made(wrong))).toEqual(problemsOf(refused));
    expect(problemsOf(await made({ name: 'bills\u202E', filter }))).toContain('name invalid_format');
    const one = await mutate(running.app, key, 'updateWebhook', 'webhook { version }', { id: webhook.id, filter });
    expect(one).toMatchObject({ code: 'invalid_parameter' });
    const same = await mutate(running.app, key, 'updateWebhook', 'webhook { version }', { id: webhook.id });
    expect(same.webhook.version).toBe(1);
  });

  it('is updated partially, with an expected version, and the change is recorded', async () => {
    const { webhook } = await made({ filter: { kinds: ['AGENT'] } });
    const update = (input: object) =>
      mutate(
        running.app,
        key,
        'updateWebhook',
        'webhook { name url version status pauseReason filter { kinds actions } }',
        {
          id: webhook.id,
          ...input,
        },
      );
    expect((await update({ name: 'renamed' })).webhook).toMatchObject({
      name: 'renamed',
      url,
      version: 2,
      filter: { kinds: ['AGENT'] },
    });
    expect((await update({ name: 'renamed' })).webhook).toMatchObject({ version: 2 });
    expect((await update({ filter: { actions: ['DELETED'] } })).webhook).toMatchObject({
      version: 3,
      filter: { kinds: null, actions: ['DELETED'] },
    });
    expect((await update({ filter: null })).webhook).toMatchObject({
      version: 4,
      filter: { kinds: null, actions: null },
    });
    expect(await update({ url: null })).toMatchObject({ code: 'invalid_input' });
    expect((await update({ paused: true, ifVersion: 4 })).webhook).toMatchObject({
      status: 'PAUSED',
      pauseReason: 'by owner@northwind.example.com',
    });
    expect(await update({ name: 'late', ifVersion: 4 })).toMatchObject({
      code: 'version_mismatch',
      currentVersion: 5,
    });
    const gone = await mutate(running.app, key, 'deleteWebhook', 'webhook { name }', { id: webhook.id, ifVersion: 5 });
    expect(gone.webhook).toEqual({ name: 'renamed' });
    expect(await update({ name: 'gone' })).toMatchObject({ code: 'not_found' });
    const [, , resourceId] = Buffer.from(webhook.id, 'base64url').toString().split(':');
    const told = (await historyOf(running.app, tenant)).filter((each) => each.resourceId === resourceId);
    expect(told.map(({ verb, version, fields }) => ({ verb, version, fields }))).toEqual([
      { verb: 'created', version: 1, fields: [] },
      { verb: 'updated', version: 2, fields: ['name'] },
      { verb: 'updated', version: 3, fields: ['filter.kinds', 'filter.actions'] },
      { verb: 'updated', version: 4, fields: ['filter.actions'] },
      { verb: 'updated', version: 5, fields: ['paused'] },
      { verb: 'deleted', version: 5, fields: [] },
    ]);
    expect(told[0]?.after).toMatchObject({ url: 'https://hooks.example.com/***' });
  });

  it.each([
    {
      what: 'that the settings no longer allow',
      stored: 'http://hooks.example.com/in',
      shown: 'http://hooks.example.com',
    },
    { what: 'that no secret decrypts', stored: undefined, shown: 'https://hooks.example.com' },
  ])('with a URL $what is renamed and paused, and keeps it', async ({ stored, shown }) => {
    const { db, encryption } = running.app.services;
    const { webhook } = await made({});
    const [, , id = ''] = Buffer.from(webhook.id, 'base64url').toString().split(':');
    const data = stored === undefined ? { url: 'broken' } : urlColumns(encryption, id, stored);
    await db.webhook.update({ where: { id }, data });
    const input = { id: webhook.id, name: 'renamed', paused: true };
    const updated = await mutate(running.app, key, 'updateWebhook', 'webhook { name status version }', input);
    expect(updated.webhook).toEqual({ name: 'renamed', status: 'PAUSED', version: 2 });
    expect(await db.webhook.findUnique({ where: { id } })).toMatchObject(data);
    const change = (await historyOf(running.app, tenant)).at(-1);
    expect(change).toMatchObject({ fields: ['name', 'paused'], after: { url: `${shown}/***` } });
    expect(problemsOf(await mutate(running.app, key, 'updateWebhook', '__typename', { ...input, name: '' }))).toEqual([
      'name too_short',
    ]);
  });

  it('is created, and gets a secret, without a deadlock with the deletion of the workspace of the caller', async () => {
    const { db } = running.app.services;
    const { id: workspaceId } = await db.workspace.create({ data: { name: 'locked', accountId: tenant.accountId } });
    const { key: confined } = await createKey(running.app, { ...tenant, workspaceId });
    const { webhook } = await made({ workspace: 'locked' }, confined);
    const rotate = () => mutate(running.app, confined, 'rotateWebhookSecret', '__typename', { id: webhook.id });
    for (const change of [() => made({ workspace: 'locked', name: 'another' }, confined), rotate]) {
      const changed = await db.$begin(async (tx) => {
        // The locks of the deletion, in its order.
        await tx.$executeRaw`SELECT FROM "workspace" WHERE "id" = ${workspaceId}::uuid FOR UPDATE`;
        const changing = change();
        await untilWaiting(running.app, await tx.$prisma(), 1);
        await tx.$executeRaw`SELECT FROM "api_key" WHERE "workspace_id" = ${workspaceId}::uuid FOR UPDATE NOWAIT`;
        await tx.$executeRaw`SELECT FROM "webhook" WHERE "workspace_id" = ${workspaceId}::uuid FOR UPDATE NOWAIT`;
        return { changing };
      });
      expect(await changed.changing).toMatchObject({ __typename: expect.stringContaining('Payload') });
    }
  });

  it('is deleted with its workspace, with a record', async () => {
    await running.app.services.db.workspace.create({ data: { name: 'short-lived', accountId: tenant.accountId } });
    const { key: fresh } = await createKey(running.app, tenant);
    await made({ workspace: 'short-lived', name: 'goes along' }, fresh);
    await mutate(running.app, fresh, 'deleteWorkspace', 'workspace { name }', { name: 'short-lived' });
    const told = (await historyOf(running.app, tenant)).slice(-2).map(({ kind, verb, name }) => [kind, verb, name]);
    expect(told).toEqual([
      ['WORKSPACE', 'deleted', 'short-lived'],
      ['WEBHOOK', 'deleted', 'goes along'],
    ]);
  });
});

describe('Webhooks', () => {
  it('are visible only to admins of their account or workspace', async () => {
    const ours = (await made({ workspace: 'main', name: 'of main' })).webhook.id;
    const whole = (await made({ name: 'of all' })).webhook.id;
    const admin = { account: 'member', workspace: 'main', role: 'admin' } as const;
    const adminOfMain = await keyOfSomebody(running.app, tenant, admin);
    const memberOfMain = await keyOfSomebody(running.app, tenant, { ...admin, role: 'member' });
    const { key: confined } = await createKey(running.app, { ...tenant, workspaceId: tenant.workspaces['main'] ?? '' });
    const foreign = await createTenant(running.app, { account: 'southwind', workspaces: ['elsewhere'] });
    const { key: foreigner } = await createKey(running.app, foreign);
    const seen = async (by: string) => {
      const { body } = await graphql(running.app, by, 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
        ids: [ours, whole],
      });
      return body.data.nodes.map((node: unknown) => node !== null);
    };
    expect(await seen(key)).toEqual([true, true]);
    expect(await seen(adminOfMain)).toEqual([true, false]);
    expect(await seen(confined)).toEqual([true, false]);
    expect(await seen(memberOfMain)).toEqual([false, false]);
    expect(await seen(foreigner)).toEqual([false, false]);
    expect((await listed(adminOfMain)).nodes).toMatchObject([{ id: ours, name: 'of main' }]);
    expect((await listed(memberOfMain)).totalCount).toBe(0);
    expect((await listed(adminOfMain, 'account(name: "northwind") { webhooks')).nodes).toMatchObject([{ id: ours }]);
    expect((await listed(key, 'account(name: "northwind") { webhooks(search: "of all")')).nodes).toMatchObject([
      { id: whole },
    ]);
    for (const by of [adminOfMain, confined]) expect(await made({}, by)).toMatchObject({ code: 'forbidden' });
    const { key: narrow } = await createKey(running.app, { ...tenant, scope: 'workspaces:get agents:get' });
    expect(await listed(narrow)).toBe('forbidden');
  });

  it('gets no secret with a key that was just revoked', async () => {
    const { webhook } = await made({});
    const { key: by, id } = await createKey(running.app, tenant);
    expect(await listed(by)).toMatchObject({ nodes: expect.any(Array) });
    await running.app.services.db.apiKey.update({ where: { id }, data: { revokedAt: running.app.clock.now } });
    const document = `mutation ($id: ID!, $url: String!) {
      createWebhook(input: { name: "late", url: $url }) { __typename }
      rotateWebhookSecret(input: { id: $id }) { __typename } }`;
    const { body } = await graphql(running.app, by, document, { id: webhook.id, url });
    expect(JSON.stringify(body)).not.toMatch(/Payload/);
    expect(JSON.stringify(body)).toMatch(/UnauthorizedError|"unauthorized"/);
  });

  it('are limited per account', async () => {
    const full = await createTenant(running.app, { account: 'full', workspaces: ['full'] });
    const { key: by } = await createKey(running.app, full);
    const data = Array.from({ length: webhooksMax - 1 }, (_, index) => ({
      accountId: full.accountId,
      name: `webhook ${index}`,
      url,
      origin: url,
      secret: '',
      createdAt: new Date(),
      updatedAt: new Date(),
      position: 0,
    }));
    await running.app.services.db.webhook.createMany({ data });
    const results = await Promise.all([made({}, by), made({}, by)]);
    expect(results.map(({ code }) => code).toSorted()).toEqual(['conflict', undefined]);
  });
});
