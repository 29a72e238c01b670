// Distributes the usage tables over a Citus cluster by account, in one colocation group, so that each query of an account
// runs on one machine.
import { Prisma } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { ApiError } from '../../errors.js';

/** The other tables are colocated with the first one. */
const tables = [
  'usage_account',
  'usage_series',
  'usage_event',
  'usage_correction_head',
  'usage_correction',
  'usage_batch',
  'usage_segment',
  'usage_point',
  'usage_cell',
  'usage_label_set',
  'usage_label_cell',
] as const;

export interface DistributedTable {
  table: string;
  /** Whether this call distributed it. */
  isNew: boolean;
  shards: number;
}

/** Maximum time to move the rows of a table (ms). */
const moveMsMax = 6 * 60 * 60_000;

/**
 * Distributes tables that are not distributed yet. Each table is locked while its rows are moved.
 *
 * @throws 409 `conflict` if the database has no Citus, or no worker.
 */
export async function distributeUsage(db: Database): Promise<DistributedTable[]> {
  await requireCluster(db);
  const done: DistributedTable[] = [];
  for (const table of tables) {
    const before = await shardsOf(db, table);
    if (before === 0) await distribute(db, table);
    await forgetLocalRows(db, table);
    done.push({ table, isNew: before === 0, shards: before || (await shardsOf(db, table)) });
  }
  return done;
}

async function distribute(db: Database, table: (typeof tables)[number]): Promise<void> {
  const [first] = tables;
  const beside = table === first ? Prisma.empty : Prisma.sql`, colocate_with => ${first}`;
  await db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL statement_timeout = 0`;
      await tx.$queryRaw(Prisma.sql`SELECT create_distributed_table(${table}, 'account_id' ${beside})::text`);
    },
    { timeout: moveMsMax },
  );
}

/** Deletes the local copies of moved rows, also those of an earlier call that was killed. */
async function forgetLocalRows(db: Database, table: string): Promise<void> {
  const bytes = await db.$text(Prisma.sql`
    SELECT sum(pg_relation_size(relid))::text FROM (
      SELECT ${table}::regclass AS relid UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = ${table}::regclass) AS r`);
  if (bytes === '0') return;
  await db.$queryRaw(Prisma.sql`SELECT truncate_local_data_after_distributing_table(${table}::regclass)::text`);
}

async function requireCluster(db: Database): Promise<void> {
  const found = await db.$text(Prisma.sql`SELECT extversion FROM pg_extension WHERE extname = 'citus'`);
  if (found === '')
    throw new ApiError('conflict', 'DATABASE_URL is not a Citus cluster. Create the extension citus first.');
  const workers = await db.$text(Prisma.sql`SELECT count(*)::text FROM citus_get_active_worker_nodes()`);
  if (workers === '0') throw new ApiError('conflict', 'The cluster has no worker. Add workers with citus_add_node().');
}

async function shardsOf(db: Database, table: string): Promise<number> {
  const count = await db.$text(
    Prisma.sql`SELECT count(*)::text FROM pg_dist_shard WHERE logicalrelid = ${table}::regclass`,
  );
  return Number(count);
}
