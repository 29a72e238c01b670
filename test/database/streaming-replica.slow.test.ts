// A gateway with a streaming replica: which reads use it.
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { Reads } from '../../src/database/reads.js';
import { addAgents, anAgent, createKey, createTenant, graphql, rest, startOn } from '../harness.js';
import type { RunningApp, TestApp, Tenant } from '../harness.js';
import { openProxy } from '../server/silent-proxy.js';
import { onServer } from './on-server.js';
import { serverPrograms, startStreamingPair } from './streaming-replica.js';
import type { StreamingPair } from './streaming-replica.js';

if (serverPrograms === undefined) {
  process.stderr.write('No test of a streaming replica: PostgreSQL’s programs are not here.\n');
}

const soon = { timeout: 60_000 };
const secrets = { SERVICE_SECRETS: 'a secret of the tests that is long enough', REQUEST_WAIT_MS_MAX: '60000' };
const window = 'startTime=2026-11-01T00:00:00Z&endTime=2026-12-01T00:00:00Z&resolution=daily';

describe.skipIf(serverPrograms === undefined)('With a streaming replica', () => {
  let pair: StreamingPair;
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  /** Reads of the replica, through the proxy. */
  let reading: RunningApp;
  /** Another process on the same database, without a replica. */
  let other: RunningApp;
  let app: TestApp;
  let count = 0;

  beforeAll(async () => {
    pair = await startStreamingPair();
    proxy = await openProxy(new URL(pair.replica));
    other = await startOn({ DATABASE_URL: pair.primary, ...secrets });
    const replica = { DATABASE_READ_URL: proxy.url, DATABASE_READ_STALE_MS_MAX: '600000' };
    reading = await startOn({ DATABASE_URL: pair.primary, ...secrets, ...replica });
    app = reading.app;
  });

  afterAll(async () => {
    await reading?.stop();
    await other?.stop();
    await proxy?.close();
    await pair?.stop();
  });

  beforeEach(async () => {
    await onServer(pair.replica, 'SELECT pg_wal_replay_resume()');
    await isRead();
  });

  const isRead = () => vi.waitFor(async () => expect(await app.database.replica?.look()).toBeUndefined(), soon);

  /** From now on the replica returns the same state. */
  async function freeze(): Promise<void> {
    const [row] = await onServer(pair.primary, 'SELECT pg_current_wal_lsn()::text AS "position"');
    const reached = `SELECT pg_last_wal_replay_lsn() >= '${String(row?.['position'])}' AS "isThere"`;
    await expect.poll(async () => (await onServer(pair.replica, reached))[0]?.['isThere'], soon).toBe(true);
    await app.database.replica?.look();
    await onServer(pair.replica, 'SELECT pg_wal_replay_pause()');
    const paused = 'SELECT pg_get_wal_replay_pause_state() AS "state"';
    await expect.poll(async () => (await onServer(pair.replica, paused))[0]?.['state'], soon).toBe('paused');
  }

  interface Caller extends Tenant {
    key: string;
    account: string;
    mainId: string | undefined;
  }

  async function aCaller(): Promise<Caller> {
    const account = `acme-${++count}`;
    const tenant = await createTenant(other.app, { account, workspaces: [`${account}-main`] });
    const { key } = await createKey(other.app, tenant);
    return { ...tenant, key, account, mainId: tenant.workspaces[`${account}-main`] };
  }

  const namesOf = async (caller: Caller, of = app) => {
    const { body } = await rest(of, '/agents', { key: caller.key, version: '2026-04-28' });
    return body.data.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  };
  const totalOf = async (caller: Caller, of = app) => {
    const { body } = await rest(of, `/accounts/${caller.accountId}/metrics?${window}`, { key: caller.key });
    return body.summary.totalCost;
  };
  const use = (caller: Caller, id: string, of: TestApp) =>
    rest(of, '/usage/events', {
      key: caller.key,
      method: 'POST',
      json: {
        source: 'meter',
        id,
        account: caller.account,
        workspace: `${caller.account}-main`,
        resourceType: 'sandbox',
        resourceName: `box-${id}`,
        billingDimension: 'sandbox_compute_runtime_gbs',
        time: '2026-11-10T10:00:00Z',
        usage: 1,
        cost: 0.5,
      },
    });

  it('lists and metrics are read from it, and single resources are not', async () => {
    const caller = await aCaller();
    await use(caller, 'first', other.app);
    expect(await totalOf(caller, other.app)).toBe(0.5);
    await freeze();
    await addAgents(other.app, caller.mainId, [anAgent('made-elsewhere')]);
    await use(caller, 'second', other.app);
    expect(await totalOf(caller, other.app)).toBe(1);
    expect(await namesOf(caller)).toEqual([]);
    expect(await totalOf(caller)).toBe(0.5);
    const { body } = await graphql(
      app,
      caller.key,
      `
        {
          agents {
            totalCount
            nodes {
              metadata {
                name
              }
            }
          }
          agent(name: "made-elsewhere") {
            metadata {
              name
            }
          }
        }
      `,
    );
    expect(body).toMatchObject({
      data: { agents: { totalCount: 0, nodes: [] }, agent: { metadata: { name: 'made-elsewhere' } } },
    });
    expect(await namesOf(caller, other.app)).toEqual(['made-elsewhere']);
    await onServer(pair.replica, 'SELECT pg_wal_replay_resume()');
    await expect.poll(() => namesOf(caller), soon).toEqual(['made-elsewhere']);
    await expect.poll(() => totalOf(caller), soon).toBe(1);
  });

  it('a caller reads its own writes and those of its account, while others stay on the replica', async () => {
    const [writer, neighbour] = [await aCaller(), await aCaller()];
    const { key } = await createKey(other.app, writer);
    await freeze();
    await addAgents(other.app, neighbour.mainId, [anAgent('made-elsewhere')]);
    const made = await graphql(
      app,
      writer.key,
      `
        mutation {
          createAgent(input: { metadata: { name: "mine" } }) {
            ... on CreateAgentPayload {
              agent {
                metadata {
                  name
                }
              }
            }
          }
        }
      `,
    );
    expect(made.body.data.createAgent.agent.metadata.name).toBe('mine');
    expect(await namesOf(writer)).toEqual(['mine']);
    expect(await namesOf({ ...writer, key })).toEqual(['mine']);
    expect(await namesOf(neighbour)).toEqual([]);
    expect((await use(writer, 'own', app)).status).toBe(200);
    expect(await totalOf(writer)).toBe(0.5);
  });

  it('lists contain all changes before a cursor of the change log that was read with them, also on later pages', async () => {
    const [follower, neighbour] = [await aCaller(), await aCaller()];
    await freeze();
    await addAgents(other.app, follower.mainId, [anAgent('one'), anAgent('two')]);
    await addAgents(other.app, neighbour.mainId, [anAgent('made-elsewhere')]);
    const page = 'nodes { metadata { name } } pageInfo { endCursor }';
    const first = await graphql(app, follower.key, `{ agents(first: 1) { ${page} } changeCursor }`);
    const { agents } = first.body.data;
    expect(agents.nodes).toHaveLength(1);
    const after = `{ agents(first: 1, after: "${agents.pageInfo.endCursor}") { ${page} } }`;
    expect((await graphql(app, follower.key, after)).body.data.agents.nodes).toHaveLength(1);
    expect(await namesOf(neighbour)).toEqual([]);
  });

  it('its metrics include usage that is not rolled up', async () => {
    const caller = await aCaller();
    await use(caller, 'waiting', other.app);
    const waits = `SELECT count(*)::int AS "count" FROM usage_batch WHERE rollup_id IS NULL AND account_id = '${caller.accountId}'`;
    await expect.poll(async () => (await onServer(pair.replica, waits))[0]?.['count'], soon).toBe(1);
    expect(await totalOf(caller)).toBe(0.5);
  });

  it('later pages show the snapshot of the first, on the replica and the primary', async () => {
    const caller = await aCaller();
    for (const id of ['one', 'two']) await use(caller, id, other.app);
    await freeze();
    const path = `/accounts/${caller.accountId}/metrics?${window}&groupBy=resource_name&limit=1`;
    await use(caller, 'three', other.app);
    const first = await rest(other.app, path, { key: caller.key });
    expect(first.body.summary.totalCost).toBe(1.5);
    const second = await rest(app, `${path}&cursor=${first.body.meta.nextCursor}`, { key: caller.key });
    expect(second.body.summary.totalCost).toBe(1.5);
  });

  it('an outage leads to the primary, is reported by readiness, and ends automatically', async () => {
    const caller = await aCaller();
    await addAgents(other.app, caller.mainId, [anAgent('kept')]);
    proxy.cut();
    proxy.fallSilent();
    expect(await namesOf(caller)).toEqual(['kept']);
    expect(await totalOf(caller)).toBe(0);
    const { status, lines } = await readiness();
    expect(status).toBe(200);
    expect(lines).toContain('[!] read replica: it does not answer');
    proxy.mend();
    await isRead();
    expect((await readiness()).lines).toContain('[+] read replica');
  });

  it('broken connections during responses have no visible effect', async () => {
    const caller = await aCaller();
    await addAgents(other.app, caller.mainId, [anAgent('kept')]);
    await expect.poll(() => namesOf(caller), soon).toEqual(['kept']);
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'workload-control-plane'`;
    const rounds = Array.from({ length: 40 }, (_, round) => round);
    const ending = (async () => {
      for (const _ of rounds) await onServer(pair.replica, end);
    })();
    for (const _ of rounds) expect(await namesOf(caller)).toEqual(['kept']);
    await ending;
  });

  it('a replica that lags too far is not used', async () => {
    const caller = await aCaller();
    const strict = await startOn({
      DATABASE_URL: pair.primary,
      ...secrets,
      DATABASE_READ_URL: proxy.url,
      DATABASE_READ_STALE_MS_MAX: '1000',
    });
    try {
      await freeze();
      await addAgents(other.app, caller.mainId, [anAgent('made-elsewhere')]);
      await expect.poll(() => namesOf(caller, strict.app), soon).toEqual(['made-elsewhere']);
      await expect.poll(() => strict.app.database.replica?.look(), soon).toBe('it is too far behind');
      expect(await namesOf(caller, strict.app)).toEqual(['made-elsewhere']);
    } finally {
      await strict.stop();
    }
  });

  it('another database of the same replica is not used', async () => {
    const caller = await aCaller();
    await addAgents(other.app, caller.mainId, [anAgent('kept')]);
    await onServer(pair.primary, 'CREATE DATABASE neighbour');
    const neighbourOf = (url: string) => url.replace(/postgres$/, 'neighbour');
    const neighbour = await startOn({ DATABASE_URL: neighbourOf(pair.primary), ...secrets });
    const misled = { DATABASE_URL: pair.primary, DATABASE_READ_URL: neighbourOf(pair.replica) };
    const wrong = await startOn({ ...misled, ...secrets });
    try {
      await expect.poll(() => wrong.app.database.replica?.look(), soon).toBe('it is a replica of another database');
      expect(await namesOf(caller, wrong.app)).toEqual(['kept']);
    } finally {
      await wrong.stop();
      await neighbour.stop();
    }
  });

  it('queries that replay cancels are read from the primary', async () => {
    const caller = await aCaller();
    await addAgents(other.app, caller.mainId, [anAgent('kept')]);
    await expect.poll(() => namesOf(caller), soon).toEqual(['kept']);
    await onServer(pair.replica, `ALTER SYSTEM SET max_standby_streaming_delay = '50ms'`);
    await onServer(pair.replica, 'SELECT pg_reload_conf()');
    const reads = new Reads(app.database.db, () => app.database.replica?.readerFor([caller.accountId]));
    // It takes no time on the primary.
    const slow = Prisma.sql`SELECT (pg_is_in_recovery() AND pg_sleep(20) IS NOT NULL AND EXISTS (SELECT FROM "agent"))::text`;
    const answer = reads.$text(slow);
    const sleeping = `SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
    await expect.poll(async () => (await onServer(pair.replica, sleeping)).length, soon).toBe(1);
    await onServer(pair.primary, 'BEGIN; LOCK TABLE "agent" IN ACCESS EXCLUSIVE MODE; COMMIT');
    expect(await answer).toBe('false');
    expect(reads.isOfReplica).toBe(false);
  });

  it('a promoted replica is not used', async () => {
    const caller = await aCaller();
    await expect.poll(() => namesOf(caller), soon).toEqual([]);
    await onServer(pair.replica, 'SELECT pg_promote()');
    await expect.poll(() => app.database.replica?.look(), soon).toBe('it is no replica');
    await addAgents(other.app, caller.mainId, [anAgent('made-since')]);
    expect(await namesOf(caller)).toEqual(['made-since']);
  });

  async function readiness(): Promise<{ status: number; lines: string[] }> {
    const answer = await fetch(`${app.origin}/readyz?verbose`);
    return { status: answer.status, lines: (await answer.text()).trimEnd().split('\n') };
  }
});
