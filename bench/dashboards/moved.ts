// A filter that many agents match, but none of the newest: in a copy of a database in which a fifth of them, the oldest,
// are in a region of their own.
import pg from 'pg';
import { mainWorkspace } from '../../src/demo/company.js';
import { copyDatabase, dropDatabase } from '../databases.js';
import type { BenchDatabase, DatabaseName } from '../databases.js';
import { startServer } from '../processes.js';
import { asks } from './client.js';
import type { Asked } from './client.js';

const copy = 'wcp_bench_moved';

export const movedFilter = { region: ['moved-1'] };

/** Does something with a gateway before such a copy. */
export async function withMoved<Result>(
  of: DatabaseName,
  { agents, key }: BenchDatabase,
  act: (ask: Asked) => Promise<Result>,
): Promise<Result> {
  const url = await copyDatabase(of, copy);
  try {
    await move(url, Math.floor(agents / 5));
    const server = await startServer('ours', { url });
    try {
      return await act(asks(server.origin, key));
    } finally {
      await server.stop();
    }
  } finally {
    await dropDatabase(copy);
  }
}

async function move(url: string, agents: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `UPDATE "agent" SET "spec" = jsonb_set("spec"::jsonb, '{region}', '"moved-1"')::json WHERE "id" IN (
        SELECT a."id" FROM "agent" AS a JOIN "workspace" AS w ON w."id" = a."workspace_id" WHERE w."name" = $1
        ORDER BY a."created_at" LIMIT $2)`,
      [mainWorkspace, agents],
    );
    await client.query('VACUUM ANALYZE "agent"');
  } finally {
    await client.end();
  }
}
