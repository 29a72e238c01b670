// The least that the full REST answer costs in Node: plain http, bare pg, prepared statements, JSON.stringify.
// No authentication, no checks of the request, no logs.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import { eventTuples, isoFrom, maskedSpec, pool, port, readWorkspace, urlOf, workspaceName } from './rows.js';
import type { AgentRow, EventRow, EventTuple } from './rows.js';

const workspace = await readWorkspace(workspaceName);

const small = {
  name: 'small',
  text: `SELECT name, status, created_at FROM agent WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
};

const agentColumns = `id, name, display_name, external_id, labels, created_at, updated_at, created_by, updated_by, status, spec`;

const joined = {
  name: 'full',
  text: `
    SELECT ${agentColumns}, e.events FROM
      (SELECT * FROM agent WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2) AS r,
      LATERAL (
        SELECT ${eventTuples} AS events FROM change WHERE account_id = $3 AND resource_id = r.id) AS e
    ORDER BY created_at DESC, id DESC`,
};

const rowsAlone = {
  name: 'rows',
  text: `SELECT ${agentColumns} FROM agent WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
};

const eventsOfRows = {
  name: 'events',
  text: `
    SELECT resource_id, time, type, status, message, revision, canary_revision FROM change
    WHERE account_id = $2 AND resource_id = ANY($1) ORDER BY resource_id, sequence`,
};

/** Both ways were measured; the joined one is the default because it is the faster. */
const isJoined = process.env['FLOOR'] !== 'two-statements';

async function readSmall(size: number): Promise<unknown> {
  const { rows } = await pool.query<AgentRow>({ ...small, values: [workspace.id, size] });
  const data = rows.map((row) => ({ metadata: { name: row.name, createdAt: row.created_at }, status: row.status }));
  return { data, meta: metaOf(rows.length, size) };
}

async function readJoined(size: number): Promise<unknown> {
  const { rows } = await pool.query<AgentRow & { events: EventTuple[] | null }>({
    ...joined,
    values: [workspace.id, size, workspace.account_id],
  });
  const data = rows.map((row) =>
    agentOf(
      row,
      (row.events ?? []).map(([time, type, status, message, revision, canary]) => ({
        time: isoFrom(time),
        type: type ?? undefined,
        status: status ?? undefined,
        message: message ?? undefined,
        revision: revision ?? undefined,
        canaryRevision: canary ?? undefined,
      })),
    ),
  );
  return { data, meta: metaOf(rows.length, size) };
}

async function readTwice(size: number): Promise<unknown> {
  const { rows } = await pool.query<AgentRow>({ ...rowsAlone, values: [workspace.id, size] });
  const { rows: events } = await pool.query<EventRow>({
    ...eventsOfRows,
    values: [rows.map((row) => row.id), workspace.account_id],
  });
  const eventsById = new Map<string, EventRow[]>(rows.map((row) => [row.id, []]));
  for (const event of events) eventsById.get(event.resource_id)?.push(event);
  const data = rows.map((row) =>
    agentOf(
      row,
      (eventsById.get(row.id) ?? []).map((event) => ({
        time: event.time,
        type: event.type ?? undefined,
        status: event.status ?? undefined,
        message: event.message ?? undefined,
        revision: event.revision ?? undefined,
        canaryRevision: event.canary_revision ?? undefined,
      })),
    ),
  );
  return { data, meta: metaOf(rows.length, size) };
}

function agentOf(row: AgentRow, events: object[]): object {
  return {
    metadata: {
      name: row.name,
      displayName: row.display_name ?? undefined,
      externalId: row.external_id ?? undefined,
      labels: row.labels ?? undefined,
      plan: workspace.plan,
      url: urlOf(workspace, row.name),
      workspace: workspace.name,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      createdBy: row.created_by ?? undefined,
      updatedBy: row.updated_by ?? undefined,
    },
    spec: maskedSpec(row.spec),
    status: row.status ?? undefined,
    events,
  };
}

function metaOf(found: number, size: number): object {
  return { hasMore: found === size, nextCursor: '', total: found };
}

function send(response: ServerResponse, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
}

const readFull = isJoined ? readJoined : readTwice;

createServer((request, response) => {
  const read = request.url?.startsWith('/small') ? readSmall : readFull;
  read(50).then(
    (body) => send(response, body),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
}).listen(port, '127.0.0.1');
