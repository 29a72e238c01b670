// The requirements for each resource kind of the registry that neither the compiler nor another test checks.
import { getNamedType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../src/api/graphql/server/schema.js';
import { changeables } from '../src/console/web/editing/changeables.js';
import { Prisma } from '../src/database/client/client.js';
import { applyKinds, hasLabels as hasLabelsInDocuments } from '../src/manifests/apply-kind.js';
import { resourceKindNames, resourceKinds } from '../src/resource-kinds.js';
import type { ResourceKindName } from '../src/resource-kinds.js';
import { kindOfTable } from '../src/store/read/resource-kind.js';
import { useApp } from './harness.js';

const running = useApp();

/** The definitions of the indexes of a table, and the functions of its triggers. */
async function partsOf(table: string): Promise<{ indexes: string[]; triggers: string[] }> {
  const { db } = running.app.services;
  const [parts] = await db.$queryRaw<{ indexes: string[]; triggers: string[] }[]>`
    SELECT
      (SELECT array_agg(replace(indexdef, '"', '')) FROM pg_indexes
        WHERE schemaname = current_schema() AND tablename = ${table}) AS "indexes",
      (SELECT array_agg(p.proname::text) FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
        WHERE t.tgrelid = to_regclass(${table})) AS "triggers"`;
  if (parts === undefined) throw new Error(`There is no table ${table}.`);
  return parts;
}

/** The fields of all object types, such as `agents: AgentConnection`. */
const fields = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .flatMap((type) => Object.values(type.getFields()))
  .map(({ name, type }) => `${name}: ${getNamedType(type).name}`);

/** The functions that count the rows of a table in `resource_count`. */
const counts = ['count_inserted', 'count_deleted'];
const countsByStatus = ['count_states_inserted', 'count_states_deleted', 'count_states_changed'];

/** Kinds whose names are not unique within their parent, with the reason. */
const withoutUniqueName: Partial<Record<ResourceKindName, string>> = {
  JOB_EXECUTION: 'Executions have no names, only ids.',
  IMAGE_SHARE: 'An image may be offered again after it was declined.',
};

describe.each(resourceKindNames)('The kind %s', (kind) => {
  const { table, typeName, field, list, parent, hasStatus, hasLabels, ...flags } = {
    field: undefined,
    parent: undefined,
    ...resourceKinds[kind],
  };
  const { isCounted, isSearched, isBilled, isExecuted, isApplied } = flags;

  it('has a definition with the names, labels and counts of the registry', () => {
    expect(kindOfTable(table)).toMatchObject({ name: kind, table, isCounted });
    expect('labels' in kindOfTable(table).columns).toBe(hasLabels);
  });

  it.runIf(isApplied)('has labels in documents if it has them in the registry', () => {
    const applied = applyKinds.find(({ name }) => name === typeName);
    expect(applied && hasLabelsInDocuments(applied)).toBe(hasLabels);
  });

  it('has a Prisma model', () => {
    expect(Object.values<string>(Prisma.ModelName)).toContain(typeName);
  });

  it('has a GraphQL type that is a node, and the fields that the registry names', () => {
    const type = schema.getType(typeName);
    const interfaces = isObjectType(type) ? type.getInterfaces().map(({ name }) => name) : [];
    expect(interfaces).toContain('Node');
    expect(interfaces.includes('Billable')).toBe(isBilled);
    expect(fields).toContain(`${list}: ${typeName}Connection`);
    expect(fields).toEqual(expect.arrayContaining(field === undefined ? [] : [`${field}: ${typeName}`]));
  });

  it('has the indexes and triggers of its flags', async () => {
    const { indexes, triggers } = await partsOf(table);
    const { hasSearchIndex, hasIndexedValues = false } = kindOfTable(table);
    expect(indexes.filter((index) => index.includes('search_grams('))).toHaveLength(isSearched ? 1 : 0);
    expect(isSearched || !hasSearchIndex).toBe(true);
    expect(indexes.filter((index) => index.includes('gin (filter_values'))).toHaveLength(hasIndexedValues ? 1 : 0);
    const functions = [
      ...(isExecuted ? ['leave_teardown'] : []),
      ...(isCounted ? (hasStatus ? countsByStatus : counts) : []),
    ];
    const flagged = /^(leave_teardown|count_.*)$/;
    expect(triggers.filter((name) => flagged.test(name)).toSorted()).toEqual(functions.toSorted());
  });

  it('has the indexes of its lists', async () => {
    const { indexes } = await partsOf(table);
    const container = resourceKindNames.find((name) => name === parent);
    const column = `${container === undefined ? 'workspace' : resourceKinds[container].table}_id`;
    expect(indexes).toContainEqual(expect.stringContaining(`(${column}, created_at, id)`));
    const isUnique = indexes.some((index) => /^CREATE UNIQUE .*\((\w+), (\w+, )?name\)/.test(index));
    expect(isUnique).toBe(withoutUniqueName[kind] === undefined);
  });

  it.runIf(isApplied)('can be edited in the console', () => {
    expect(Object.keys(changeables)).toContain(typeName);
  });
});
