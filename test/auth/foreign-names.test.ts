// Names that are unique across accounts: how often a caller can ask whether another account has one.
import { beforeEach, describe, expect, it } from 'vitest';
import { attemptsMax } from '../../src/auth/sign-in/sign-in-attempts.js';
import { createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { mutate } from '../resources/mutations.js';

const limit = attemptsMax['name asked by account'];
const running = useApp();
let count = 0;
let mark: string;
let tenant: Tenant;
let foreign: Tenant;
let key: string;
let foreignKey: string;

beforeEach(async () => {
  mark = `f${count++}`;
  running.app.clock.now = frozenNow;
  tenant = await createTenant(running.app, { account: mark, workspaces: [`${mark}-main`] });
  foreign = await createTenant(running.app, { account: `${mark}-other`, workspaces: [`${mark}-theirs`] });
  ({ key } = await createKey(running.app, tenant));
  ({ key: foreignKey } = await createKey(running.app, foreign));
  const client = { name: `${mark}-theirs`, scopes: ['agents:list'] };
  await mutate(running.app, foreignKey, 'createOauthClient', '__typename', client);
  await mutate(running.app, key, 'createOauthClient', '__typename', { ...client, name: `${mark}-main` });
  const tag = { workspace: `${mark}-main`, resourceType: 'JOBS', imageName: 'image', tag: { name: 'v1', size: 1 } };
  await mutate(running.app, key, 'registerImageTag', '__typename', tag);
});

type Mutation = 'createWorkspace' | 'createOauthClient' | 'shareImage';

const inputs: Record<Mutation, (name: string) => object> = {
  createWorkspace: (name) => ({ metadata: { name: `${mark}-${name}` } }),
  createOauthClient: (name) => ({ name: `${mark}-${name}`, scopes: ['agents:list'] }),
  shareImage: (name) => ({
    workspace: `${mark}-main`,
    resourceType: 'JOBS',
    name: 'image',
    targetAccount: name === 'main' ? mark : `${mark}-other`,
    targetWorkspace: `${mark}-${name}`,
  }),
};

const send = (
  mutation: Mutation,
  name: string,
  { by = key, headers = {}, ...more }: { by?: string; headers?: Record<string, string>; validateOnly?: boolean } = {},
): Promise<Answer> => {
  const type = mutation.charAt(0).toUpperCase() + mutation.slice(1);
  const document = `mutation ($input: ${type}Input!) {
    result: ${mutation}(input: $input) { __typename ... on Error { code } } }`;
  return graphql(running.app, by, document, { input: { ...inputs[mutation](name), ...more } }, headers);
};

/** As if the account had asked so often. */
async function ask(mutation: Mutation, times: number): Promise<void> {
  for (let asked = 0; asked < times; asked++) {
    expect((await send(mutation, 'theirs', { validateOnly: true })).status).toBe(200);
  }
}

const refused = {
  status: 429,
  body: { errors: [{ extensions: { code: 'too_many_requests', retryAfterSeconds: 15 * 60 } }] },
};

const isTaken = { createWorkspace: 'name_taken', createOauthClient: 'name_taken', shareImage: undefined };
const ifUnknown = { createWorkspace: undefined, createOauthClient: undefined, shareImage: 'not_found' };

describe.each(['createWorkspace', 'createOauthClient', 'shareImage'] as const)('%s', (mutation) => {
  it('tells about names of other accounts until the limit, then about none for a quarter of an hour', async () => {
    for (let asked = 0; asked < limit; asked++) {
      // Both answers tell something, so both count.
      const name = asked % 2 === 0 ? 'theirs' : 'nobodys';
      const { body } = await send(mutation, name, { validateOnly: true });
      expect(body.data.result.code).toBe(asked % 2 === 0 ? isTaken[mutation] : ifUnknown[mutation]);
    }
    for (const name of ['theirs', 'nobodys']) {
      for (const validateOnly of [true, false]) {
        const answer = await send(mutation, name, { validateOnly });
        expect(answer).toMatchObject(refused);
        expect(answer.headers.get('retry-after')).toBe('900');
      }
    }
    // Nothing was created, and the other account is not affected.
    const another = await send(mutation, 'nobodys', { by: foreignKey, validateOnly: true });
    expect(another.status).toBe(200);
    running.app.clock.now = new Date(frozenNow.getTime() + 15 * 60_000);
    const { body } = await send(mutation, 'theirs', { validateOnly: true });
    expect(body.data.result.code).toBe(isTaken[mutation]);
  });

  it('never limits names of the own account', async () => {
    for (let asked = 0; asked <= limit; asked++) await send(mutation, 'main', { validateOnly: true });
    expect((await send(mutation, 'theirs', { validateOnly: true })).status).toBe(200);
  });
});

describe('What counts', () => {
  it.each([{}, { 'idempotency-key': 'a key' }])(
    'is a creation that fails for the name, with headers %j',
    async (headers) => {
      await ask('createWorkspace', limit - 1);
      expect((await send('createWorkspace', 'theirs', { headers })).body.data.result.code).toBe('name_taken');
      expect(await send('createWorkspace', 'theirs', { headers })).toMatchObject(refused);
    },
  );

  it('is not a creation that succeeds, nor one that is refused before the name is looked up', async () => {
    await ask('createWorkspace', limit - 1);
    for (const name of ['one', 'two']) {
      expect((await send('createWorkspace', name)).body.data.result.__typename).toBe('CreateWorkspacePayload');
    }
    const { body } = await send('createWorkspace', 'Not_A_Name', { validateOnly: true });
    expect(body.data.result.code).toBe('invalid_input');
    expect((await send('createWorkspace', 'theirs', { validateOnly: true })).status).toBe(200);
  });

  it('is the sum of all mutations and credentials of an account', async () => {
    await ask('createWorkspace', limit - 2);
    await ask('createOauthClient', 1);
    await ask('shareImage', 1);
    const { key: another } = await createKey(running.app, tenant);
    expect(await send('createOauthClient', 'theirs', { by: another, validateOnly: true })).toMatchObject(refused);
  });
});
