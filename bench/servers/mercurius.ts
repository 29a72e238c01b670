// The nearest peer: fastify, mercurius, bare pg. Mercurius compiles queries from their first execution on (`jit`), unless
// COMPILER=off. It reads only the columns that the
// query asks for, and the events of a page in the same statement. With CHECKS=on it does what any deployment of it does: it
// looks up the API key (caller.ts), limits the rate of requests, and limits the depth and the cost of a query. It still has
// no opaque cursors.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { readFileSync } from 'node:fs';
import rateLimit from '@fastify/rate-limit';
import fastify from 'fastify';
import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';
import { createComplexityRule, simpleEstimator } from 'graphql-query-complexity';
import mercurius from 'mercurius';
import { checksCallers, onlyWorkspace, workspaceOf } from './caller.js';
import { eventTuples, isoFrom, maskedSpec, pool, port, urlOf } from './rows.js';
import type { AgentRow, EventTuple, Workspace } from './rows.js';

const workspaceOfAll = await onlyWorkspace();
const schema = readFileSync(new URL('mercurius.graphql', import.meta.url), 'utf8');

const columnsOfMetadata: Record<string, string[]> = {
  name: ['name'],
  displayName: ['display_name'],
  externalId: ['external_id'],
  labels: ['labels'],
  url: ['name'],
  createdAt: ['created_at'],
  updatedAt: ['updated_at'],
  createdBy: ['created_by'],
  updatedBy: ['updated_by'],
};

/**
 * In the statement of the page, and not in a loader of mercurius: those write every agent, spec and all, into a text
 * as the key of its events, which a profile showed to be a large part of the full shape.
 */
const eventsOfRow = `(
  SELECT ${eventTuples} FROM change
  WHERE account_id = $3 AND resource_id = r.id) AS events`;

/** A compiled query keeps its nodes, so what it reads is worked out once. */
const statements = new WeakMap<FieldNode, { name: string; text: string }>();

function statementFor(info: GraphQLResolveInfo): { name: string; text: string } {
  const [field] = info.fieldNodes;
  if (field === undefined) throw new Error('a resolver without a field');
  const known = statements.get(field);
  if (known !== undefined) return known;
  const node = childOf(childOf(field, 'edges'), 'node');
  const columns = new Set(['id']);
  for (const each of fieldsOf(node?.selectionSet)) {
    if (each.name.value === 'spec') columns.add('spec');
    if (each.name.value === 'status') columns.add('status');
    if (each.name.value === 'events') columns.add(eventsOfRow);
    if (each.name.value !== 'metadata') continue;
    for (const inner of fieldsOf(each.selectionSet)) {
      for (const column of columnsOfMetadata[inner.name.value] ?? []) columns.add(column);
    }
  }
  const list = [...columns].join(', ');
  const text = `SELECT ${list} FROM agent AS r WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`;
  const statement = { name: createHash('md5').update(text).digest('hex'), text };
  statements.set(field, statement);
  return statement;
}

function fieldsOf(selections: SelectionSetNode | undefined): FieldNode[] {
  return (selections?.selections ?? []).filter((each) => each.kind === 'Field');
}

function childOf(field: FieldNode | undefined, name: string): FieldNode | undefined {
  return fieldsOf(field?.selectionSet).find((each) => each.name.value === name);
}

function agentOf(workspace: Workspace, row: AgentRow & { events?: EventTuple[] | null }): object {
  return {
    id: row.id,
    metadata: {
      name: row.name,
      displayName: row.display_name,
      externalId: row.external_id,
      labels: row.labels && Object.entries(row.labels).map(([key, value]) => ({ key, value })),
      plan: workspace.plan,
      url: urlOf(workspace, row.name),
      workspaceName: workspace.name,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      createdBy: row.created_by,
      updatedBy: row.updated_by,
    },
    spec: row.spec && maskedSpec(row.spec),
    status: row.status,
    events: row.events?.map(eventOf) ?? [],
  };
}

function eventOf([time, type, status, message, revision, canaryRevision]: EventTuple): object {
  return { time: isoFrom(time), type, status, message, revision, canaryRevision };
}

/** GraphQL's enum values of the stored ones, which are REST's. */
const enumNames = new Map([
  ['mk2', 'MK2'],
  ['mk3', 'MK3'],
  ['http', 'HTTP'],
  ['http-async', 'HTTP_ASYNC'],
  ['cron', 'CRON'],
  ['persistent', 'PERSISTENT'],
  ['ephemeral', 'EPHEMERAL'],
]);
const storedEnum = { serialize: (value: string) => enumNames.get(value) };

const app = fastify();

if (checksCallers) {
  const keyGenerator = ({ headers }: { headers: IncomingHttpHeaders }) => headers.authorization ?? '';
  await app.register(rateLimit, { max: 1_000_000, timeWindow: '1 minute', keyGenerator });
}

const limits = {
  queryDepth: 12,
  validationRules: [
    createComplexityRule({ maximumComplexity: 1_000, estimators: [simpleEstimator({ defaultComplexity: 1 })] }),
  ],
};

await app.register(mercurius, {
  schema,
  jit: process.env['COMPILER'] === 'off' ? 0 : 1,
  ...(checksCallers && limits),
  context: async ({ headers }: { headers: IncomingHttpHeaders }) => {
    const workspace = workspaceOfAll ?? (await workspaceOf(pool, headers));
    if (workspace === undefined) throw new Error('unauthorized');
    return { workspace };
  },
  resolvers: {
    Generation: storedEnum,
    TriggerType: storedEnum,
    VolumeType: storedEnum,
    Query: {
      agents: async (
        _root: unknown,
        { first }: { first: number },
        { workspace }: { workspace: Workspace },
        info: GraphQLResolveInfo,
      ) => {
        const statement = statementFor(info);
        const { rows } = await pool.query<AgentRow & { events?: EventTuple[] | null }>({
          ...statement,
          values: [workspace.id, first, ...(statement.text.includes('$3') ? [workspace.account_id] : [])],
        });
        return { edges: rows.map((row) => ({ node: agentOf(workspace, row) })) };
      },
    },
  },
});

await app.listen({ port, host: '127.0.0.1' });
