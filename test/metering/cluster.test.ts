// Usage on a Citus cluster, where TEST_CITUS_URL leads to one. Every other test of usage and metrics runs there with
// that setting, too.
import { describe, expect, it } from 'vitest';
import { distributeUsage } from '../../src/cli/operator/usage-cluster.js';
import { recordUsage } from '../../src/metering/usage.js';
import { apiErrorFrom } from '../../src/database/failures.js';
import { openContext } from '../../src/http/open-context.js';
import { onServer } from '../database/on-server.js';
import { isCluster } from '../database-kind.js';
import { createKey, createTenant, freshDatabase, startOn, useApp } from '../harness.js';
import type { TestApp } from '../harness.js';
import type { PlainEvent } from '../billing/recount.js';
import { sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

describe.skipIf(isCluster)('A database without Citus', () => {
  const running = useApp();

  it('is not distributed, and reports why', async () => {
    await expect(distributeUsage(running.app.services.db)).rejects.toMatchObject({
      error: 'conflict',
      message: 'DATABASE_URL is not a Citus cluster. Create the extension citus first.',
    });
  });
});

describe.skipIf(!isCluster)('On a cluster', () => {
  it('the tables are distributed once, by account and in one group', async () => {
    const { settings, remove } = await freshDatabase();
    const { app, stop } = await startOn(settings);
    try {
      const again = await distributeUsage(app.services.db);
      expect(again.map(({ isNew }) => isNew)).toEqual(Array.from({ length: 11 }, () => false));
      const rows = await onServer(
        settings['DATABASE_URL'] ?? '',
        `SELECT table_name::text AS "table", distribution_column AS "by", colocation_id AS "group" FROM citus_tables
         WHERE table_name::text ~ '^usage_' AND table_name::text !~ '_\\d{4}_\\d\\d$'`,
      );
      expect(rows).toHaveLength(11);
      expect(new Set(rows.map(({ by, group }) => `${String(by)} ${String(group)}`)).size).toBe(1);
      expect(rows[0]).toMatchObject({ by: 'account_id' });
    } finally {
      await stop();
      await remove();
    }
  });

  it('rows that a killed process left on the coordinator are removed by the next one', async () => {
    const { settings, remove } = await freshDatabase();
    const { app, stop } = await startOn(settings);
    try {
      const url = settings['DATABASE_URL'] ?? '';
      const localBytes = async () =>
        Number((await onServer(url, `SELECT pg_relation_size('usage_account') AS "bytes"`))[0]?.['bytes']);
      // As when its rows were moved, and the process killed before they were removed here.
      await onServer(url, `SELECT undistribute_table('usage_account', cascade_via_foreign_keys => false)`);
      await createTenant(app, { account: 'acme', workspaces: ['acme-main'] });
      await onServer(url, `INSERT INTO usage_account (account_id) SELECT id FROM account`);
      await onServer(
        url,
        `SELECT create_distributed_table('usage_account', 'account_id', colocate_with => 'usage_series')`,
      );
      expect(await localBytes()).toBeGreaterThan(0);
      expect((await distributeUsage(app.services.db)).map(({ isNew }) => isNew)).not.toContain(true);
      expect(await localBytes()).toBe(0);
      expect(await onServer(url, 'SELECT FROM usage_account')).toHaveLength(1);
    } finally {
      await stop();
      await remove();
    }
  });

  it('usage is not acknowledged if its worker is lost during the commit, and can be sent again', async () => {
    const { settings, remove } = await freshDatabase();
    const { app, stop } = await startOn(settings);
    try {
      const account = 'acme';
      const tenant = await createTenant(app, { account, workspaces: [`${account}-main`] });
      const { key } = await createKey(app, tenant);
      const ctx = await openContext(app.services, { authorization: `Bearer ${key}` }, 'test');
      const send = () =>
        recordUsage(ctx, eventsOf(account, 0)).catch((error: unknown) => Promise.reject(apiErrorFrom(error)));
      await recordUsage(ctx, eventsOf(account, 1));
      const mend = await endAtCommit(settings['DATABASE_URL'] ?? '', 'usage_batch');
      await expect(send()).rejects.toMatchObject({ status: 503, error: 'unavailable' });
      await mend();
      expect(new Set((await send()).map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
      expect(await sumsOf(ctx, tenant.accountId)).toEqual(
        sumsExpected([...eventsOf(account, 0), ...eventsOf(account, 1)]),
      );
    } finally {
      await stop();
      await remove();
    }
  });

  it('two processes count each event once while shards move', async () => {
    const { settings, remove } = await freshDatabase();
    const [one, other] = [await startOn(settings), await startOn(settings)];
    try {
      const names = ['acme', 'globex', 'initech'];
      const owners = await Promise.all(names.map((name) => ownerOf([one.app, other.app], name)));
      const moves = moveShards(settings['DATABASE_URL'] ?? '', 8);
      const moved = new AbortController();
      void moves.finally(() => moved.abort());
      let round = 0;
      do {
        for (const { account, contexts } of owners) {
          const events = eventsOf(account, round);
          // Both send the same, at the same time.
          await Promise.all(contexts.map((ctx) => withRetries(() => recordUsage(ctx, events))));
        }
        round++;
      } while (!moved.signal.aborted);
      await moves;
      for (const { account, accountId, contexts } of owners) {
        const all = Array.from({ length: round }, (_, n) => eventsOf(account, n)).flat();
        for (const ctx of contexts) expect(await sumsOf(ctx, accountId)).toEqual(sumsExpected(all));
      }
    } finally {
      await Promise.all([one.stop(), other.stop()]);
      await remove();
    }
  }, 300_000);
});

function eventsOf(account: string, round: number): PlainEvent[] {
  return Array.from({ length: 50 }, (_, n) => usageEvent(round * 50 + n, { account, workspace: `${account}-main` }));
}

async function ownerOf(apps: [TestApp, TestApp], account: string) {
  const tenant = await createTenant(apps[0], { account, workspaces: [`${account}-main`] });
  const { key } = await createKey(apps[0], tenant);
  const contexts = await Promise.all(
    apps.map(({ services }) => openContext(services, { authorization: `Bearer ${key}` }, 'test')),
  );
  return { account, accountId: tenant.accountId, contexts };
}

/** While a shard moves, writes wait for it, possibly too long. A repetition counts nothing twice. */
async function withRetries<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (tries === 20) throw error;
    }
  }
}

/**
 * From now on each worker that writes to a table loses its connection at the commit. @returns a function that ends this
 */
async function endAtCommit(url: string, table: string): Promise<() => Promise<void>> {
  const shards = await onServer(
    url,
    `SELECT shard_name AS "name", nodename AS "host", nodeport AS "port" FROM citus_shards WHERE table_name = '${table}'::regclass`,
  );
  const onEach = async (sql: (shard: string) => string) => {
    for (const { name, host, port } of shards) {
      const worker = new URL(url);
      worker.host = `${String(host)}:${String(port)}`;
      const asOwn = 'SET citus.enable_manual_changes_to_shards = on; SET citus.enable_ddl_propagation = off;';
      await onServer(worker.href, `${asOwn} SET citus.enable_metadata_sync = off; ${sql(String(name))}`);
    }
  };
  await onEach(
    (shard) => `
      CREATE OR REPLACE FUNCTION end_at_commit() RETURNS TRIGGER LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER end_at_commit AFTER INSERT ON ${shard} DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION end_at_commit()`,
  );
  return () => onEach((shard) => `DROP TRIGGER end_at_commit ON ${shard}`);
}

/** Moves groups of shards from one worker to the other, again and again. */
async function moveShards(url: string, moves: number): Promise<void> {
  for (let move = 0; move < moves; move++) {
    const [shard] = await onServer(
      url,
      `SELECT s.shardid AS "id", s.nodename AS "host", s.nodeport AS "port", w.node_name AS "toHost", w.node_port AS "toPort"
       FROM citus_shards AS s, citus_get_active_worker_nodes() AS w
       WHERE s.table_name = 'usage_account'::regclass AND (s.nodename, s.nodeport) <> (w.node_name, w.node_port)
       ORDER BY s.shardid OFFSET ${move % 4} LIMIT 1`,
    );
    const { id, host, port, toHost, toPort } = shard ?? {};
    await onServer(
      url,
      `SELECT citus_move_shard_placement(${String(id)}, '${String(host)}', ${String(port)}, '${String(toHost)}', ${String(toPort)}, 'block_writes')`,
    );
  }
}
