// How fast an account's history is read from its start, page by page, by one client.
import pg from 'pg';
import { processorMs, startServer } from '../processes.js';
import { openClient } from './requests.js';
import type { Account } from './writers.js';

const query = `query ($after: String) { changes(first: 200, after: $after) {
  nodes { id time action kind name version } pageInfo { endCursor hasNextPage } } }`;

export interface Reading {
  perSecond: number;
  /** Processor of the server, for each page. */
  processorMs: number;
}

/** Reads a history of the account's own from the start. */
export async function measureReading(
  url: string,
  settings: Record<string, string>,
  { id, key, workspace }: Account,
  changes: number,
): Promise<Reading> {
  await fillHistory(url, id, workspace, changes);
  const { origin, pid, stop } = await startServer('ours', { url }, settings);
  const client = openClient(origin, key);
  const readAll = async (most: number) => {
    let after: string | undefined;
    let read = 0;
    for (;;) {
      const { data } = JSON.parse(await client.ask(query, { after }));
      read += data.changes.nodes.length;
      ({ endCursor: after } = data.changes.pageInfo);
      if (!data.changes.pageInfo.hasNextPage || read >= most) return read;
    }
  };
  await readAll(20_000);
  const startedMs = performance.now();
  const usedMs = processorMs(pid);
  const read = await readAll(Infinity);
  const reading = {
    perSecond: (read * 1_000) / (performance.now() - startedMs),
    processorMs: ((processorMs(pid) - usedMs) * 200) / read,
  };
  client.close();
  await stop();
  if (read < changes) throw new Error(`${read} of ${changes} changes were read`);
  return reading;
}

/** Puts a history into an account's place, as long as asked. */
async function fillHistory(url: string, accountId: string, workspace: string, changes: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('DELETE FROM change WHERE account_id = $1', [accountId]);
  await client.query(
    `INSERT INTO change (account_id, sequence, time, workspace_id, kind, resource_id, name, verb, version, actor_kind,
       actor_name, client, request_id, address, api, after, type, status, message)
     SELECT $1, n, now() - ($3 - n) * interval '1 second', w.id, 'AGENT', gen_random_uuid(), 'agent-' || n, 'updated', 2, 'user',
       'bench@example.com', 'bench', gen_random_uuid(), '127.0.0.1', 'graphql',
       json_build_object('metadata', json_build_object('name', 'agent-' || n), 'spec', json_build_object('enabled', true)),
       'update', 'UPDATED', 'Updated by bench@example.com'
     FROM generate_series(1, $3::int) AS n, workspace AS w WHERE w.name = $2`,
    [accountId, workspace, changes],
  );
  await client.query(
    `INSERT INTO change_head (account_id, last) VALUES ($1, $2) ON CONFLICT (account_id) DO UPDATE SET last = EXCLUDED.last`,
    [accountId, changes],
  );
  await client.query('ANALYZE change');
  await client.end();
}
