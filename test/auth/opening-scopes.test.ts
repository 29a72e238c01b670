// The scopes with an effect, found by requesting everything: a credential without scopes gets each scope that an error
// names, and requests again, until no error names one. The scopes on the consent page are exactly these.
import { readFileSync } from 'node:fs';
import { getNamedType, isCompositeType, isEnumType, isObjectType, isRequiredArgument } from 'graphql';
import type { GraphQLField, GraphQLObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { grantableScopes, identityScopes, openingScopes, scopes } from '../../src/auth/scopes.js';
import { encodeGlobalId } from '../../src/api/graphql/global-id.js';
import { requiredScopesOf } from '../../src/api/graphql/required-scopes.js';
import { schema } from '../../src/api/graphql/server/schema.js';
import { scopeWords } from '../../src/api/oauth/scope-descriptions.js';
import { routes } from '../../src/server/routes.js';
import { createKey, createTenant, graphql, rest, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';

const running = useApp({ GRAPHQL_COMPLEXITY_MAX: '1000000' });
let tenant: Tenant;
let values: Record<string, string>;
let ids: string[];

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  const workspaceId = tenant.workspaces['main'] ?? '';
  const platform = await addPlatform(app, workspaceId, 'one');
  const { id: apiKeyId } = await createKey(app, tenant);
  const invitation = {
    accountId: tenant.accountId,
    name: 'guest@example.com',
    role: 'member',
    expiresAt: new Date('2027-01-01'),
  } as const;
  const { id: invitationId } = await app.services.db.invitation.create({ data: invitation });
  const frame = { Account: tenant.accountId, ApiKey: apiKeyId, Invitation: invitationId, Workspace: workspaceId };
  ids = Object.entries({ ...platform, ...frame }).map(([type, id]) => encodeGlobalId(type, id));
  values = {
    account: '"northwind"',
    id: JSON.stringify(ids[0]),
    ids: JSON.stringify(ids),
    name: '"one"',
    job: '"one-job"',
    startTime: '"2026-11-01T00:00:00Z"',
    endTime: '"2026-11-02T00:00:00Z"',
  };
});

/** The required arguments of a field. */
function argumentsOf(field: GraphQLField<unknown, unknown>): string {
  const given = field.args.filter(isRequiredArgument).map(({ name, type }) => {
    const named = getNamedType(type);
    // A label is counted by its key, which is one more argument.
    const words = isEnumType(named) ? named.getValues().map((word) => word.name) : [];
    return `${name}: ${words.find((word) => word !== 'LABEL') ?? values[name] ?? '"one"'}`;
  });
  return given.length === 0 ? '' : `(${given.join(', ')})`;
}

function selectionOf(type: GraphQLObjectType, levels: number): string {
  const fields = Object.values(type.getFields()).flatMap((field): string[] => {
    const below = getNamedType(field.type);
    if (!isCompositeType(below)) return field.args.some(isRequiredArgument) ? [] : [field.name];
    return isObjectType(below) && levels > 0
      ? [`${field.name}${argumentsOf(field)} ${selectionOf(below, levels - 1)}`]
      : [];
  });
  return `{ __typename ${fields.join(' ')} }`;
}

/** Every document there is to read: each field of the root but that of executors, and each kind of node by its id. */
function documents(): string[] {
  const roots = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap((field) => {
    const type = getNamedType(field.type);
    return isObjectType(type) && field.name !== 'executorAssignments'
      ? [`{ ${field.name}${argumentsOf(field)} ${selectionOf(type, 2)} }`]
      : [];
  });
  return [...roots, ...ids.map((id) => `{ node(id: "${id}") { id } }`)];
}

async function refusalsWith(held: string): Promise<string[]> {
  const { app } = running;
  const { key } = await createKey(app, { ...tenant, scope: held });
  const told: string[] = [];
  for (const query of documents()) {
    const { body } = await graphql(app, key, query, {}, { 'x-service-workspace': 'main' });
    for (const { message } of body.errors ?? []) {
      expect(message).toMatch(/lacks the scope|not found|There is no |scope/);
      told.push(message);
    }
  }
  for (const { method, path } of routes.filter((route) => route.method === 'GET')) {
    const address = path.replace('{accountId}', tenant.accountId).replaceAll(/\{\w+\}/g, 'one');
    const window = '?startTime=2026-11-01T00:00:00Z&endTime=2026-11-02T00:00:00Z';
    const { body } = await rest(app, `${address}${window}`, {
      key,
      method,
      headers: { 'x-service-workspace': 'main' },
    });
    told.push(String(body.message ?? ''));
  }
  return [...new Set(told.flatMap((message) => /lacks the scope (\S+)\.$/.exec(message)?.[1] ?? []))];
}

async function readingScopes(): Promise<Set<string>> {
  const found = new Set<string>();
  for (;;) {
    const lacked = (await refusalsWith([...found].join(' '))).filter((scope) => scope !== 'admin');
    if (lacked.length === 0) return found;
    // A named scope is required: with it, no error names it again.
    expect(lacked.filter((scope) => found.has(scope))).toEqual([]);
    for (const scope of lacked) found.add(scope);
  }
}

/**
 * Each mutation declares its scope, and test/auth/mutations.slow.test.ts tests each with that scope only, and with all others.
 */
function changingScopes(): string[] {
  const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
  return fields.flatMap((field) => (requiredScopesOf(field) ?? []).flat());
}

describe('The scopes on the consent page', () => {
  it('are exactly those that allow something', async () => {
    const opening = new Set([
      'admin',
      ...changingScopes().filter((scope) => scopes.includes(scope)),
      ...(await readingScopes()),
    ]);
    expect([...opening].toSorted()).toEqual([...openingScopes].toSorted());
    expect(grantableScopes).toEqual([...identityScopes, ...openingScopes]);
  });

  it('are fewer than those of the specification, which are all accepted', () => {
    expect(scopes.filter((scope) => !openingScopes.includes(scope)).length).toBeGreaterThan(0);
    expect(scopes).toEqual(expect.arrayContaining([...openingScopes]));
  });

  it('are those that the documentation lists', () => {
    const page = readFileSync(new URL('../../docs/identity.md', import.meta.url), 'utf8');
    const [, section = ''] = /^## Scopes\n(.*?)^## /ms.exec(page) ?? [];
    const [listed = '', rest = ''] = section.split('In addition');
    const named = (text: string) => [...text.matchAll(/`(\w+(?::[\w*]+)?)`/g)].map(([, name = '']) => name);
    const rows = listed.split('\n').filter((line) => line.startsWith('|'));
    const first = rows.flatMap((row) => named(row.split('|')[1] ?? ''));
    expect(first.toSorted()).toEqual([...openingScopes].toSorted());
    const absent = scopes.filter((scope) => !openingScopes.includes(scope));
    const patterns = named(rest).filter((name) => !identityScopes.includes(name));
    const covers = (pattern: string, scope: string) =>
      scope === pattern || (pattern.endsWith('*') && scope.startsWith(pattern.slice(0, -1)));
    expect(absent.filter((scope) => !patterns.some((pattern) => covers(pattern, scope)))).toEqual([]);
    expect(patterns.filter((pattern) => !absent.some((scope) => covers(pattern, scope)))).toEqual([]);
    expect(patterns.filter((pattern) => openingScopes.some((scope) => covers(pattern, scope)))).toEqual([]);
  });

  it('each have their own description', () => {
    const words = grantableScopes.map(scopeWords);
    expect(new Set(words).size).toBe(words.length);
    expect(words.filter((each) => each.includes('undefined') || /[a-z][A-Z]/.test(each))).toEqual([]);
  });
});
