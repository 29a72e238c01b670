// The least that making an agent costs in Node: plain http, bare pg, one prepared statement that inserts the same row
// and the same record of the history, under the account's next number. No authentication, no rules, no selection, no
// logs.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { pool, port, readWorkspace, workspaceName } from './rows.js';

const workspace = await readWorkspace(workspaceName);
const by = 'floor@example.com';

/** One statement is one transaction, and one way to the database and back. */
const insertion = {
  name: 'insert',
  text: `
    WITH made AS (
      INSERT INTO agent (id, workspace_id, name, labels, created_at, updated_at, created_by, updated_by, status, spec, search, version)
      VALUES ($1, $2, $3, $4, $5, $5, $6, $6, 'DEPLOYED', $7, $8, 1) RETURNING id),
    head AS (
      INSERT INTO change_head AS h (account_id, last) SELECT $9, 1 FROM made
      ON CONFLICT (account_id) DO UPDATE SET last = h.last + 1 RETURNING last)
    INSERT INTO change (account_id, sequence, time, workspace_id, kind, resource_id, name, verb, version, actor_kind,
      actor_name, client, request_id, address, api, after, type, status, message)
    SELECT $9, head.last, $5, $2, 'AGENT', $1, $3, 'created', 1, 'user', $6, 'bench', $10, '127.0.0.1', 'graphql', $11,
      'creation', 'CREATED', 'Created by floor@example.com'
    FROM head`,
};

interface Asked {
  variables: {
    input: { metadata: { name: string; labels: { key: string; value: string }[] }; spec: Record<string, unknown> };
  };
}

async function create(body: string): Promise<object> {
  const { variables }: Asked = JSON.parse(body);
  const { metadata, spec: given } = variables.input;
  const { name } = metadata;
  const id = randomUUID();
  const now = new Date().toISOString();
  const labels = Object.fromEntries(metadata.labels.map(({ key, value }) => [key, value]));
  const spec = { enabled: true, public: false, ...given };
  const agent = {
    metadata: { name, labels, workspace: workspace.name, createdAt: now, updatedAt: now, createdBy: by, updatedBy: by },
    spec,
    status: 'DEPLOYED',
  };
  const search = [name, '', ...Object.entries(labels).flat()].join('\u001f');
  const values = [id, workspace.id, name, labels, now, by, spec, search, workspace.account_id, randomUUID(), agent];
  await pool.query({ ...insertion, values });
  return { data: { createAgent: { agent: { id, version: 1, ...agent } } } };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(await create(await text(request))));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes);
}

createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
}).listen(port, '127.0.0.1');
