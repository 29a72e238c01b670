// The tables of usage could be distributed over a cluster by account as they are.
import { expect, it } from 'vitest';
import { useApp } from '../harness.js';

const running = useApp();

it('Every key of the usage tables starts with the account', async () => {
  const keys = await running.app.services.db.$queryRaw<{ key: string; first: string }[]>`
    SELECT i."indexrelid"::regclass::text AS "key", a."attname" AS "first"
    FROM pg_index AS i JOIN pg_attribute AS a ON a."attrelid" = i."indrelid" AND a."attnum" = i."indkey"[0]
    WHERE i."indisunique" AND i."indrelid"::regclass::text LIKE 'usage\_%'`;
  const tables = ['account', 'series', 'event', 'batch', 'segment', 'point', 'cell', 'label_set', 'label_cell'];
  expect(keys.map(({ key }) => key)).toEqual(expect.arrayContaining(tables.map((name) => `usage_${name}_pkey`)));
  expect(keys.filter(({ first }) => first !== 'account_id')).toEqual([]);
});

it('No usage table has a foreign key, and none refers to it', async () => {
  const references = await running.app.services.db.$queryRaw<{ conname: string }[]>`
    SELECT "conname" FROM pg_constraint
    WHERE "contype" = 'f' AND ("conrelid"::regclass::text LIKE 'usage\_%' OR "confrelid"::regclass::text LIKE 'usage\_%')`;
  expect(references).toEqual([]);
});

it('Segments of future months are compressed with LZ4, if the server supports it', async () => {
  const { db } = running.app.services;
  await db.$queryRaw`SELECT usage_segment_partition(2099 * 12)::text`;
  const columns = await db.$queryRaw<{ attname: string }[]>`
    SELECT a."attname" FROM pg_attribute AS a JOIN pg_settings AS s ON s."name" = 'default_toast_compression'
    WHERE a."attrelid" = 'usage_segment_2099_01'::regclass AND format_type(a."atttypid", NULL) = 'bigint[]'
      AND a."attcompression" <> CASE WHEN 'lz4' = ANY (s."enumvals") THEN 'l' ELSE '' END`;
  expect(columns).toEqual([]);
});
