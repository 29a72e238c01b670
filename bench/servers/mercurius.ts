// The peer that is nearest: fastify, mercurius with its JIT from the first request on, bare pg. It reads the
// columns that the query asks for and no others, and the events of a page in its one statement.
// It does less than the control plane: no authentication, no limits on what a query may cost, no cursors that
// can be trusted, one workspace that is known from the start.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';
import mercurius from 'mercurius';
import { eventTuples, isoFrom, maskedSpec, pool, port, readWorkspace, urlOf, workspaceName } from './rows.js';
import type { AgentRow, EventTuple } from './rows.js';

const workspace = await readWorkspace(workspaceName);
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
  WHERE account_id = '${workspace.account_id}' AND resource_id = r.id) AS events`;

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

function agentOf(row: AgentRow & { events?: EventTuple[] | null }): object {
  return {
    id: row.id,
    metadata: {
      name: row.name,
      displayName: row.display_name,
      externalId: row.external_id,
      labels: row.labels && Object.entries(row.labels).map(([key, value]) => ({ key, value })),
      plan: workspace.plan,
      url: urlOf(workspace, row.name),
      workspace: workspace.name,
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

/** Stored in the words of REST; an enum of GraphQL has capitals. */
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

await app.register(mercurius, {
  schema,
  jit: 1,
  resolvers: {
    Generation: storedEnum,
    TriggerType: storedEnum,
    VolumeType: storedEnum,
    Query: {
      agents: async (_root: unknown, { first }: { first: number }, _context: unknown, info: GraphQLResolveInfo) => {
        const { rows } = await pool.query<AgentRow & { events?: EventTuple[] | null }>({
          ...statementFor(info),
          values: [workspace.id, first],
        });
        return { edges: rows.map((row) => ({ node: agentOf(row) })) };
      },
    },
  },
});

await app.listen({ port, host: '127.0.0.1' });
