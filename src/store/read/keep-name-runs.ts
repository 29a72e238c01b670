// Keeps the runs of names by which searches find their page in the order of names (name-runs.ts), of lists so large that
// sorting all that a search matches takes long.
import { setTimeout } from 'node:timers/promises';
import { Prisma } from '../../database/client/client.js';
import type { Database, Statements } from '../../database/open.js';
import { listOf, namedTables, pieceBit, pieceLength } from './name-runs.js';

export interface RunSizes {
  /** A list gets runs when it has so many rows. */
  listMin: number;
  /** The rows of a run when it is made. It is made anew when as many more came in. */
  run: number;
}

const defaultSizes: RunSizes = { listMin: 50_000, run: 512 };

/** The rows that one statement reads: a quarter of a second, also where PostgreSQL runs in the process. */
const rowsAtOnce = 1_000;

/** The names that one statement forgets. */
const forgottenAtOnce = 10_000;

const advisoryLock = 72_707_371;

interface NamedList {
  workspaceId: string;
  table: string;
}

/**
 * Makes the runs of each list that has become large, and takes what was written since into them.
 *
 * @param stopping ends it early; what is left goes on the next time.
 */
export async function keepNameRuns(db: Database, stopping?: AbortSignal, sizes = defaultSizes): Promise<void> {
  await alone(db, (tx) => uniteRuns(tx, sizes));
  await repeat(db, forgetUnseen, stopping);
  await alone(db, (tx) => beginRuns(tx, sizes));
  for (const list of await listsWithRuns(db)) {
    await repeat(db, (tx) => takeUnseen(tx, list), stopping);
    await repeat(db, (tx) => makeRuns(tx, list, sizes), stopping);
  }
}

/** Until nothing is left. It rests for as long as each step took: those who read and write go first. */
async function repeat(db: Database, step: Step, stopping: AbortSignal | undefined): Promise<void> {
  const isStopped = () => stopping?.aborted === true;
  while (!isStopped()) {
    const startedMs = performance.now();
    if ((await alone(db, step)) === 0) return;
    await setTimeout(performance.now() - startedMs, undefined, { signal: stopping }).catch(() => {});
  }
}

/** Says how much it did. */
type Step = (tx: Statements) => Promise<number>;

/** One at a time, so that nothing that it has read is written by another before it writes: who comes second leaves it. */
async function alone(db: Database, step: Step): Promise<number> {
  return db.$begin(async (tx) => {
    const taken = await tx.$text(Prisma.sql`SELECT pg_try_advisory_xact_lock(${advisoryLock}::bigint)::text`);
    return taken === 'true' ? step(tx) : 0;
  });
}

/**
 * Where most runs must be empty by now, the list begins anew, as one run that may hold anything. A list never loses its
 * last one: who is about to go by its runs would find nothing.
 */
async function uniteRuns(tx: Statements, { run }: RunSizes): Promise<number> {
  return tx.$executeRaw`
    WITH list AS MATERIALIZED (
      SELECT k."workspace_id", k."resource" FROM (
        SELECT "workspace_id", "resource", count(*) AS "runs" FROM "name_run" GROUP BY 1, 2) AS k
      WHERE k."runs" > 8 + 8 * (
        SELECT coalesce(sum(c."total"), 0) FROM "resource_count" AS c
        WHERE c."workspace_id" = k."workspace_id" AND c."resource" = k."resource") / ${run}::int),
    gone AS (
      DELETE FROM "name_run" AS n USING list
      WHERE n."workspace_id" = list."workspace_id" AND n."resource" = list."resource" AND n."first_name" <> '')
    UPDATE "name_run" AS n SET "size" = NULL, "pieces" = NULL FROM list
    WHERE n."workspace_id" = list."workspace_id" AND n."resource" = list."resource" AND n."first_name" = ''`;
}

/** What was written to lists without runs: who makes their first ones reads it there. */
async function forgetUnseen(tx: Statements): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM "unseen_name" WHERE ctid = ANY (ARRAY(
      SELECT u.ctid FROM "unseen_name" AS u WHERE NOT EXISTS (
        SELECT FROM "name_run" AS n WHERE n."workspace_id" = u."workspace_id" AND n."resource" = u."resource")
      LIMIT ${forgottenAtOnce}))`;
}

/** A large list begins as one run that may hold anything. */
async function beginRuns(tx: Statements, { listMin }: RunSizes): Promise<number> {
  return tx.$executeRaw`
    INSERT INTO "name_run" ("workspace_id", "resource", "first_name")
    SELECT c."workspace_id", c."resource", '' FROM "resource_count" AS c WHERE c."resource" = ANY (${[...namedTables]})
    GROUP BY 1, 2 HAVING sum(c."total") >= ${listMin}::int ON CONFLICT DO NOTHING`;
}

async function listsWithRuns(db: Database): Promise<NamedList[]> {
  const lists: NamedList[] = JSON.parse(
    await db.$text(Prisma.sql`
      SELECT coalesce(json_agg(n), '[]')::text FROM (
        SELECT DISTINCT "workspace_id" AS "workspaceId", "resource" AS "table" FROM "name_run") AS n`),
  );
  return lists;
}

/** Some of what was written since, into the runs where it belongs. */
async function takeUnseen(tx: Statements, { workspaceId, table }: NamedList): Promise<number> {
  const workspace = Prisma.sql`${workspaceId}::uuid`;
  const list = listOf(table, workspace);
  const taken = await tx.$text(Prisma.sql`
    WITH seen AS (
      DELETE FROM "unseen_name" WHERE ctid = ANY (ARRAY(
        SELECT n.ctid FROM "unseen_name" AS n WHERE ${list} ORDER BY n."name" LIMIT ${rowsAtOnce}))
      RETURNING "name"),
    chosen AS MATERIALIZED (
      SELECT (SELECT max(n."first_name") FROM "name_run" AS n WHERE ${list} AND n."first_name" <= r."name") AS "run", r."search"
      FROM (SELECT DISTINCT "name" FROM seen) AS s, LATERAL (
        SELECT * FROM ${tableOf(table)} AS r WHERE r."workspace_id" = ${workspace} AND r."name" = s."name" OFFSET 0) AS r),
    held AS (${piecesByRun}),
    kept AS (
      UPDATE "name_run" AS n SET "pieces" = n."pieces" | held."pieces", "size" = n."size" + held."size"
      FROM held WHERE ${list} AND n."first_name" = held."run")
    SELECT count(*)::text FROM seen`);
  return Number(taken);
}

interface DueRun {
  first: string;
  next: string | null;
}

/** Makes some runs out of the first that is not made yet, or that has grown; the rest of it is left as one that is not made. */
async function makeRuns(tx: Statements, { workspaceId, table }: NamedList, sizes: RunSizes): Promise<number> {
  const workspace = Prisma.sql`${workspaceId}::uuid`;
  const list = listOf(table, workspace);
  const due: DueRun[] = JSON.parse(
    await tx.$text(Prisma.sql`
      SELECT coalesce(json_agg(n), '[]')::text FROM (
        SELECT n."first", n."next" FROM (
          SELECT n."first_name" AS "first", n."size", lead(n."first_name") OVER (ORDER BY n."first_name") AS "next"
          FROM "name_run" AS n WHERE ${list}) AS n
        WHERE n."size" IS NULL OR n."size" > 2 * ${sizes.run}::int ORDER BY n."first" LIMIT 1) AS n`),
  );
  const [run] = due;
  if (run === undefined) return 0;
  const isIn = (row: string) => {
    const name = Prisma.raw(`${row}."name"`);
    const isBefore = run.next === null ? Prisma.sql`true` : Prisma.sql`${name} < ${run.next}::text`;
    return Prisma.sql`${name} >= ${run.first}::text AND ${isBefore}`;
  };
  const whole = Math.ceil(rowsAtOnce / sizes.run);
  return tx.$executeRaw`
    WITH chosen AS MATERIALIZED (
      SELECT r."name", r."search", (row_number() OVER (ORDER BY r."name") - 1) / ${sizes.run}::int AS "run"
      FROM ${tableOf(table)} AS r WHERE r."workspace_id" = ${workspace} AND ${isIn('r')}
      ORDER BY r."name" LIMIT ${whole * sizes.run + 1}),
    seen AS (DELETE FROM "unseen_name" AS n WHERE ${list} AND ${isIn('n')}),
    held AS (${piecesByRun}),
    made AS (
      SELECT "run", CASE WHEN "run" = 0 THEN ${run.first}::text ELSE min("name") END AS "first" FROM chosen GROUP BY "run"
      UNION ALL SELECT 0, ${run.first}::text WHERE NOT EXISTS (SELECT FROM chosen))
    INSERT INTO "name_run" ("workspace_id", "resource", "first_name", "size", "pieces")
    SELECT ${workspace}, ${table}, made."first",
      CASE WHEN made."run" < ${whole}::int THEN coalesce(held."size", 0) END,
      CASE WHEN made."run" < ${whole}::int THEN coalesce(held."pieces", ${noPieces}) END
    FROM made LEFT JOIN held USING ("run")
    ON CONFLICT ("workspace_id", "resource", "first_name") DO UPDATE SET "size" = EXCLUDED."size", "pieces" = EXCLUDED."pieces"`;
}

const length = Prisma.raw(String(pieceLength));
const noPieces = Prisma.sql`B'0'::bit(8192)`;

/** What the rows of each run hold, and how many they are, of `chosen`. */
const piecesByRun = Prisma.sql`
  SELECT "run", bit_or(set_bit(${noPieces}, "bit", 1)) AS "pieces", max("size") AS "size"
  FROM (
    SELECT DISTINCT "run", ${pieceBit(Prisma.sql`substr("search", i, ${length})`)} AS "bit"
    FROM chosen, generate_series(1, greatest(length("search") - ${length} + 1, 1)) AS i) AS piece
  JOIN (SELECT "run", count(*)::int AS "size" FROM chosen GROUP BY "run") AS counted USING ("run")
  GROUP BY "run"`;

function tableOf(table: string): Prisma.Sql {
  return Prisma.raw(`"${table}"`);
}
