// Whether the scopes that the schema declares with @requiresScopes are those that are enforced. Each field of each type is
// read by a caller with exactly the declared scopes, and by a caller with all other scopes. Mutations are tried by
// mutations.test.ts.
import { getNamedType, isCompositeType, isEnumType, isObjectType, isRequiredArgument } from 'graphql';
import type { GraphQLField, GraphQLObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { requiredScopesOf } from '../../src/api/graphql/required-scopes.js';
import { schema } from '../../src/api/graphql/server/schema.js';
import { executorScope, scopes } from '../../src/auth/scopes.js';
import { insertJobs } from '../../src/demo/rows/job-input.js';
import { insertSandboxes } from '../../src/demo/rows/sandbox-input.js';
import { addAgents, anAgent, createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addPlatform } from '../platform.js';

const running = useApp({ GRAPHQL_COMPLEXITY_MAX: '1000000' });
let tenant: Tenant;

const inWindow: Record<string, string> = { startTime: '"2026-11-01T00:00:00Z"', endTime: '"2026-11-02T00:00:00Z"' };
const values: Record<string, string> = { ...inWindow, id: '"QWdlbnQ6MQ"', ids: '[]', search: '"one"' };

/** Fields whose scopes depend on the kind of resource that they return, which no directive can say. */
const dependsOnKind = [/^Query\.(node|nodes|search|changes|changeCursor)$/, /^SearchResult\.resource$/, /\.changes$/];

const isDependent = (name: string) => dependsOnKind.some((pattern) => pattern.test(name));

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  const workspaceId = tenant.workspaces['main'] ?? '';
  await addPlatform(app, workspaceId, 'one');
  const { db, encryption } = app.services;
  const runtime = { image: 'one-image:v1' };
  const volumes = [{ name: 'one-volume', mountPath: '/data' }];
  await addAgents(app, workspaceId, [anAgent('running', { spec: { region: 'eu-frankfurt-1', runtime, volumes } })]);
  await insertSandboxes(db, encryption, workspaceId, [anAgent('running', { spec: { runtime } })]);
  await insertJobs(db, encryption, workspaceId, [anAgent('running', { spec: { runtime } })]);
});

interface Field {
  name: string;
  field: GraphQLField<unknown, unknown>;
  /** All scopes of the first alternative; none without a directive. */
  required: readonly string[];
}

/** The fields of a type, but those for executors, whose scope no key can have (test/lifecycle/observed-status.test.ts). */
const fieldsOf = (type: GraphQLObjectType): Field[] =>
  Object.values(type.getFields()).flatMap((field) => {
    const [required = []] = requiredScopesOf(field) ?? [];
    return required.includes(executorScope) ? [] : [{ name: `${type.name}.${field.name}`, field, required }];
  });

/** A selection that leads to a type, and the scopes that it needs. */
interface Path {
  steps: string[];
  needed: ReadonlySet<string>;
  weight: number;
}

function callOf({ name, args }: GraphQLField<unknown, unknown>): string {
  const given = args.filter(isRequiredArgument).map((arg) => {
    const type = getNamedType(arg.type);
    const words = isEnumType(type) ? type.getValues().map((word) => word.name) : [];
    return `${arg.name}: ${words.find((word) => word !== 'LABEL') ?? values[arg.name] ?? '"one"'}`;
  });
  return given.length === 0 ? name : `${name}(${given.join(', ')})`;
}

/** The path with the fewest scopes to each type that queries reach. */
function pathsToTypes(): Map<GraphQLObjectType, Path> {
  const paths = new Map<GraphQLObjectType, Path>();
  const root = schema.getQueryType();
  if (root == null) return paths;
  paths.set(root, { steps: [], needed: new Set(), weight: 0 });
  const waiting = new Set([root]);
  for (const from of waiting) {
    waiting.delete(from);
    const path = paths.get(from);
    if (path === undefined) continue;
    for (const { name, field, required } of fieldsOf(from)) {
      const to = getNamedType(field.type);
      // A field that finds something by a name leads nowhere if nothing has the name.
      const isLookup = field.args.some((arg) => isRequiredArgument(arg) && inWindow[arg.name] === undefined);
      if (!isObjectType(to) || isDependent(name) || isLookup) continue;
      const needed = new Set([...path.needed, ...required]);
      const weight = path.weight + 1 + 10 * required.length + (required.includes('admin') ? 1_000 : 0);
      if ((paths.get(to)?.weight ?? Infinity) <= weight) continue;
      paths.set(to, { steps: [...path.steps, callOf(field)], needed, weight });
      waiting.add(to);
    }
  }
  return paths;
}

/** A field with its leaves: some fields read nothing themselves. */
function selectionOf({ field }: Field): string {
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return callOf(field);
  const below = isObjectType(type) ? fieldsOf(type) : [];
  const leaves = below.filter(({ field: leaf }) => {
    const isFree = requiredScopesOf(leaf) === undefined && !leaf.args.some(isRequiredArgument);
    return isFree && !isCompositeType(getNamedType(leaf.type));
  });
  return `${callOf(field)} { ${['__typename', ...leaves.map(({ field: leaf }) => leaf.name)].join(' ')} }`;
}

/** The names of the scopes that the caller lacks, each after the path of the field that says so. */
async function lackedIn(held: Iterable<string>, { steps }: Path, fields: readonly Field[]): Promise<string[]> {
  const { key } = await createKey(running.app, { ...tenant, scope: [...held].join(' ') });
  const text = `${fields.map(selectionOf).join(' ')} __typename`;
  const query = `{ ${steps.map((step) => `${step} { `).join('')}${text}${' }'.repeat(steps.length)} }`;
  const { body } = await graphql(running.app, key, query);
  return (body.errors ?? []).flatMap(({ message, path = [] }: { message: string; path?: unknown[] }) => {
    expect(message).not.toMatch(/Cannot query|Syntax Error/);
    const scope = /lacks the scope (\S+)\.$/.exec(message)?.[1];
    return scope === undefined ? [] : [`${path.join('.')} ${scope}`];
  });
}

const paths = [...pathsToTypes()].filter(([type]) => !type.name.startsWith('__'));

describe('The fields of types that queries reach', () => {
  it('are those of most types', () => {
    expect(paths.length).toBeGreaterThan(100);
  });

  it('are readable without scopes, if they declare none', async () => {
    for (const [type, path] of paths) {
      const free = fieldsOf(type).filter(
        ({ name, field }) => !isDependent(name) && requiredScopesOf(field) === undefined,
      );
      expect([type.name, await lackedIn(path.needed, path, free)]).toEqual([type.name, []]);
    }
  });

  it('are readable with exactly the scopes that they declare', async () => {
    for (const [type, path] of paths) {
      for (const each of fieldsOf(type).filter(({ required }) => required.length > 0)) {
        expect([each.name, await lackedIn([...path.needed, ...each.required], path, [each])]).toEqual([each.name, []]);
      }
    }
  });

  it('are refused with all scopes but one that they declare', async () => {
    const tried: string[] = [];
    const open: string[] = [];
    for (const [type, path] of paths) {
      for (const each of fieldsOf(type)) {
        for (const scope of each.required) {
          // The way there needs the scope as well, or `admin`, which includes it.
          if (path.needed.has(scope) || path.needed.has('admin')) continue;
          const others = scopes.filter((name) => name !== scope && name !== 'admin');
          const lacked = await lackedIn(others, path, [each]);
          const refused = new RegExp(`\\b${each.field.name}\\b.* ${scope}$`);
          tried.push(each.name);
          if (!lacked.some((text) => refused.test(text))) open.push(`${each.name} ${scope}`);
        }
      }
    }
    expect(open).toEqual([]);
    expect(tried.length).toBeGreaterThan(60);
  });
});
