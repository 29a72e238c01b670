// Permissions of every mutation of the schema: by scope, by role, and from another account. Each is run with an
// Idempotency-Key and repeated, so that every response can be stored.
import { beforeAll, describe, expect, it } from 'vitest';
import { getNamedType, isLeafType, isObjectType } from 'graphql';
import type { GraphQLObjectType } from 'graphql';
import { scopes } from '../../src/auth/scopes.js';
import { requiredScopesOf } from '../../src/api/graphql/required-scopes.js';
import { schema } from '../../src/api/graphql/server/schema.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Answer, Tenant } from '../harness.js';
import { keyOfSomebody } from '../resources/mutations.js';
import { wholeState } from '../resources/whole-state.js';
import type { WholeState } from '../resources/whole-state.js';
import { editBy, isNaming, isSecret, namingFields, otherName, takes, typePrefix } from './generic-cases.js';
import { cases, endingCaller, inputOf, ofExecutors, prepareCases, settingsOfCases } from './mutation-cases.js';

const running = useApp(settingsOfCases);
let tenant: Tenant;
let foreign: Tenant;
const db = () => running.app.services.db;

/** The database, once the change log has the denied requests. */
async function state(): Promise<WholeState> {
  await running.app.services.deniedRequests.settle();
  return wholeState(db());
}

const fields = schema.getMutationType()?.getFields() ?? {};

const inputs = new Map<string, object>();
const keys = new Map<string, string>();

/** A key of a caller with exactly the required role, with these scopes. */
const keyFor = (who: string, held: string) => keys.get(`${who} ${held}`) ?? '';

const without = (scope: string) => scopes.filter((name) => name !== scope && name !== 'admin').join(' ');

beforeAll(async () => {
  const { app } = running;
  const { tenant: made, memberId } = await prepareCases(app);
  tenant = made;
  foreign = await createTenant(app, { account: 'southwind', workspaces: ['elsewhere'] });
  for (const [index, [mutation, each]] of Object.entries(cases).entries()) {
    inputs.set(mutation, await inputOf(each, `m${index}`));
  }
  const tried = Object.values(cases).flatMap(({ scope }) => [scope, without(scope)]);
  for (const scope of new Set(['admin', ...tried])) {
    keys.set(`owner ${scope}`, (await createKey(app, { ...tenant, scope })).key);
    keys.set(
      `member ${scope}`,
      (await createKey(app, { accountId: tenant.accountId, principalId: memberId, scope })).key,
    );
  }
  keys.set('viewer admin', await keyOfSomebody(app, tenant, { account: 'viewer' }));
  keys.set('foreigner admin', (await createKey(app, foreign)).key);
});

/** The leaves of a type, and of its metadata. */
function leavesOf(type: GraphQLObjectType): string {
  // An admin of the platform does not read the usage of an account that they create.
  const all = Object.values(type.getFields()).filter(
    (field) => field.args.length === 0 && (type.name !== 'Account' || requiredScopesOf(field) === undefined),
  );
  const leaves = all.filter((field) => isLeafType(getNamedType(field.type))).map(({ name }) => name);
  const metadata = all.find(({ name }) => name === 'metadata');
  const inner = metadata && getNamedType(metadata.type);
  return [...leaves, ...(isObjectType(inner) ? [`metadata { ${leavesOf(inner)} }`] : [])].join(' ');
}

function documentOf(mutation: string): string {
  const name = typePrefix(mutation);
  const payload = schema.getType(`${name}Payload`);
  if (!isObjectType(payload)) throw new Error(`${mutation} has no payload`);
  const selected = Object.values(payload.getFields()).map((field) => {
    const type = getNamedType(field.type);
    return isObjectType(type) ? `${field.name} { ${leavesOf(type)} }` : field.name;
  });
  return `mutation ($input: ${name}Input!) { result: ${mutation}(input: $input) {
    __typename ... on Error { code message } ... on ${name}Payload { ${selected.join(' ')} } } }`;
}

async function send(mutation: string, by: string, headers = {}, more: object = {}): Promise<Answer['body']> {
  const input = { ...inputs.get(mutation), ...more };
  const { body } = await graphql(running.app, by, documentOf(mutation), { input }, headers);
  expect(body.errors).toBeUndefined();
  return body.data.result;
}

/** Usage has a result for each event. */
const isRefused = ({ __typename, results = [] }: Answer['body']) =>
  ['ForbiddenError', 'NotFoundError'].includes(__typename) ||
  results.some(({ outcome }: { outcome: string }) => outcome === 'INVALID');

describe('The mutations of the schema', () => {
  it.each([
    ...Object.entries(cases).map(([mutation, { scope }]) => [mutation, scope]),
    ...endingCaller.map((mutation) => [mutation, 'workspaces:leave']),
    ...ofExecutors.map((mutation) => [mutation, 'assignments:work']),
  ])('%s declares its required scope', (mutation = '', scope) => {
    const field = fields[mutation];
    expect(field && requiredScopesOf(field)).toEqual([[scope]]);
  });
});

describe.each(Object.entries(cases))('%s', (mutation, { scope, needs, isOwnAccount = false }) => {
  const rightful = needs === undefined ? 'member' : 'owner';

  it('requires its scope and role, and rejects viewers and other accounts', async () => {
    // Denied requests are recorded in the change log shortly afterwards.
    const changes = () => db().change.count({ where: { verb: { not: 'denied' } } });
    const before = await changes();
    const lacking = await send(mutation, keyFor(rightful, without(scope)));
    expect(lacking).toMatchObject({ __typename: 'ForbiddenError', code: 'forbidden' });
    expect(lacking.message).toBe(`This credential lacks the scope ${scope}.`);
    const refused = ['viewer', ...(needs === undefined ? [] : ['member']), ...(isOwnAccount ? [] : ['foreigner'])];
    for (const who of refused) {
      const answer = await send(mutation, keyFor(who, 'admin'));
      expect([who, isRefused(answer), answer.__typename]).toEqual([who, true, answer.__typename]);
    }
    expect(await changes()).toBe(before);
  });

  it.each(takes(mutation, 'validateOnly') ? [mutation] : [])('changes nothing in a dry run', async () => {
    const before = await state();
    const answer = await send(mutation, keyFor(rightful, scope), {}, { validateOnly: true });
    expect(answer).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
    expect(await state()).toEqual(before);
  });

  it.each(takes(mutation, 'validateOnly') ? [mutation] : [])('returns the same errors in a dry run', async () => {
    const refused = [
      [keyFor(rightful, without(scope))],
      [keyFor('viewer', 'admin')],
      ...namingFields(mutation).map((field) => {
        const named: Record<string, unknown> = { ...inputs.get(mutation) };
        return [keyFor(rightful, scope), { [field]: otherName(named[field]) }] as const;
      }),
    ] as const;
    for (const [by, more] of refused) {
      const tried = await send(mutation, by, {}, { ...more, validateOnly: true });
      const { __typename, code, message } = tried;
      // Without an error, the other name is one of something to create, or of everything.
      if (code === undefined) continue;
      expect(await send(mutation, by, {}, { ...more })).toMatchObject({ __typename, code, message });
    }
  });

  it.each(takes(mutation, 'ifVersion') ? [mutation] : [])(
    'rejects an outdated expected version, and changes nothing',
    async () => {
      const before = await state();
      const answer = await send(mutation, keyFor(rightful, scope), {}, { ifVersion: 99 });
      expect(answer).toMatchObject({ __typename: 'ConflictError', code: 'version_mismatch' });
      expect(await state()).toEqual(before);
    },
  );

  it.each(namingFields(mutation))('returns not found for an unknown %s, and changes nothing', async (field) => {
    const named: Record<string, unknown> = { ...inputs.get(mutation) };
    // An omitted field is not required.
    if (named[field] === undefined) return;
    const before = await state();
    const answer = await send(mutation, keyFor(rightful, scope), {}, { [field]: otherName(named[field]) });
    expect(answer.__typename).toBe(isSecret(mutation, field) ? 'ForbiddenError' : 'NotFoundError');
    expect(await state()).toEqual(before);
  });

  it('works with that scope only, once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': mutation };
    const first = await send(mutation, keyFor(rightful, scope), headers);
    expect(first).toMatchObject({ __typename: expect.stringMatching(/Payload$/) });
    expect(isRefused(first)).toBe(false);
    const again = await send(mutation, keyFor(rightful, scope), headers);
    // Records have unique ids.
    const repeated = { results: [{ outcome: 'DUPLICATE' }], accepted: 0 };
    expect(again).toMatchObject(mutation === 'recordUsage' ? repeated : first);
  });

  it.each(takes(mutation, 'validateOnly') ? [mutation] : [])('has the same result in a second dry run', async () => {
    const tried = await send(mutation, keyFor(rightful, scope), {}, { validateOnly: true });
    const { __typename, code, message } = await send(mutation, keyFor(rightful, scope));
    expect(tried).toMatchObject({ __typename, ...(code !== undefined && { code, message }) });
  });

  it.each(isNaming(mutation) ? [mutation] : [])(
    'creates one resource for twelve concurrent callers with the same name',
    async () => {
      const metadata = { name: `race-${mutation.toLowerCase()}` };
      const answers = await twelveTimes(() => send(mutation, keyFor(rightful, scope), {}, { metadata }));
      expect(answers.filter(({ __typename }) => __typename.endsWith('Payload'))).toHaveLength(1);
      expect(answers.filter(({ code }) => code === 'name_taken')).toHaveLength(11);
    },
  );

  it.each(mutation.startsWith('update') && takes(mutation, 'ifVersion') ? [mutation] : [])(
    'accepts one of twelve concurrent editors of the same version',
    async () => {
      const found = JSON.stringify(await send(mutation, keyFor(rightful, scope)));
      const ifVersion = Number(/"version":(\d+)/.exec(found)?.[1]);
      const answers = await twelveTimes((caller) =>
        send(mutation, keyFor(rightful, scope), {}, { ifVersion, ...editBy(caller, mutation) }),
      );
      expect(answers.filter(({ __typename }) => __typename.endsWith('Payload'))).toHaveLength(1);
      expect(answers.filter(({ code }) => code === 'version_mismatch')).toHaveLength(11);
    },
  );

  it.each(mutation.startsWith('delete') && takes(mutation, 'ifVersion') ? [mutation] : [])(
    'returns the resource to one of twelve concurrent callers who delete it, and not found to the others',
    async () => {
      const mark = `race-${mutation.toLowerCase()}`;
      const tried = cases[mutation];
      const input = tried && (await inputOf(tried, mark));
      // The access of a caller is cached briefly, so the next request comes from another caller.
      const { key } = await createKey(running.app, { ...tenant, scope });
      const answers = await twelveTimes(() => send(mutation, key, {}, input));
      expect(answers.filter(({ __typename }) => __typename.endsWith('Payload'))).toHaveLength(1);
      const losing = isSecret(mutation, 'name') ? ['not_found', 'forbidden'] : ['not_found'];
      expect(answers.filter(({ code }) => losing.includes(code))).toHaveLength(11);
    },
  );
});

function twelveTimes(act: (caller: number) => Promise<Answer['body']>): Promise<Answer['body'][]> {
  return Promise.all(Array.from({ length: 12 }, (_, caller) => act(caller)));
}
