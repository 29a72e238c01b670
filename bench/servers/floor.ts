// The minimum cost of the full REST response in Node: plain http, bare pg, prepared statements, JSON.stringify. It does not
// validate the request and writes no logs. With CHECKS=on it looks up the API key (caller.ts).
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { onlyWorkspace, workspaceOf } from './caller.js';
import { eventTuples, isoFrom, maskedSpec, pool, port, urlOf } from './rows.js';
import type { AgentRow, EventTuple, Workspace } from './rows.js';

const workspaceOfAll = await onlyWorkspace();
const pageSize = 50;

const small = {
  name: 'small',
  text: `SELECT name, status, created_at FROM agent WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`,
};

const agentColumns = `id, name, display_name, external_id, labels, created_at, updated_at, created_by, updated_by, status, spec`;

const full = {
  name: 'full',
  text: `
    SELECT ${agentColumns}, e.events FROM
      (SELECT * FROM agent WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2) AS r,
      LATERAL (
        SELECT ${eventTuples} AS events FROM change WHERE account_id = $3 AND resource_id = r.id) AS e
    ORDER BY created_at DESC, id DESC`,
};

async function readSmall(workspace: Workspace): Promise<unknown> {
  const { rows } = await pool.query<AgentRow>({ ...small, values: [workspace.id, pageSize] });
  const data = rows.map((row) => ({ metadata: { name: row.name, createdAt: row.created_at }, status: row.status }));
  return { data, meta: metaOf(rows.length) };
}

async function readFull(workspace: Workspace): Promise<unknown> {
  const { rows } = await pool.query<AgentRow & { events: EventTuple[] | null }>({
    ...full,
    values: [workspace.id, pageSize, workspace.account_id],
  });
  const data = rows.map((row) =>
    agentOf(
      workspace,
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
  return { data, meta: metaOf(rows.length) };
}

function agentOf(workspace: Workspace, row: AgentRow, events: object[]): object {
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

function metaOf(found: number): object {
  return { hasMore: found === pageSize, nextCursor: '', total: found };
}

function send(response: ServerResponse, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const workspace = workspaceOfAll ?? (await workspaceOf(pool, request.headers));
  if (workspace === undefined) return void response.writeHead(401).end();
  send(response, await (request.url?.startsWith('/small') ? readSmall : readFull)(workspace));
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
}).listen(port, '127.0.0.1');
