// What is compared: gateways on one server, and gateways on a cluster of three nodes, with the same accounts.
import { openDatabase } from '../../src/database/open.js';
import { readConfig } from '../../src/config.js';
import { freshCluster } from '../../test/citus-cluster.js';
import { onServer } from '../../test/database/on-server.js';
import { benchSecret, createDatabase, databaseServer, dropDatabase } from '../databases.js';
import { createKey } from '../metrics/data.js';
import { createAccounts } from '../metrics/databases.js';
import { accountsOf } from '../metrics/generation.js';
import type { BenchAccount } from '../metrics/generation.js';
import { startServer } from '../processes.js';
import type { RunningServer } from '../processes.js';
import { firstProcessOf } from './processor-time.js';

export interface SetUp {
  name: string;
  gateways: RunningServer[];
  url: string;
  /** A key for each account, in their order. */
  keys: string[];
  /** The first processes of the server that gateways ask, and of its workers. */
  server: number;
  workers: number[];
}

export interface SetUps {
  all: SetUp[];
  close: () => Promise<void>;
}

const name = 'wcp_bench_cluster';
const gatewaysOfCluster = 3;
/** As many as Citus makes by itself. */
const shards = 32;

/** Many enough that the shards of both workers have some. */
export const accounts = accountsOf({ others: 10, eventsPerPoint: 1 });

/** @param coordinator the address of a database that knows the workers; undefined leaves the cluster out. */
export async function openSetUps(coordinator: string | undefined): Promise<SetUps> {
  const single = { DATABASE_URL: await createDatabase(name), SERVICE_SECRETS: benchSecret };
  const cluster = coordinator === undefined ? undefined : await freshCluster(coordinator, shards);
  const opened: SetUp[] = [];
  const close = async () => {
    for (const { gateways } of opened) for (const gateway of gateways) await gateway.stop();
    await cluster?.remove();
    await dropDatabase(name);
  };
  try {
    const singleKeys = await fill(single);
    const server = await firstProcessOf(databaseServer);
    const open = async (
      title: string,
      settings: Record<string, string>,
      count: number,
      rest: Pick<SetUp, 'keys' | 'server' | 'workers'>,
    ) => {
      const setUp: SetUp = { name: title, gateways: [], url: settings['DATABASE_URL'] ?? '', ...rest };
      opened.push(setUp);
      while (setUp.gateways.length < count)
        setUp.gateways.push(await startServer('ours', { url: setUp.url }, settings));
    };
    const onOne = { keys: singleKeys, server, workers: [] };
    await open('one gateway, one server', single, 1, onOne);
    await open('three gateways, one server', single, gatewaysOfCluster, onOne);
    if (coordinator !== undefined && cluster !== undefined) {
      const nodes = { server: await firstProcessOf(coordinator), workers: await workersOf(coordinator) };
      const onCluster = { keys: await fill(cluster.settings), ...nodes };
      await open('three gateways, cluster', cluster.settings, gatewaysOfCluster, onCluster);
    }
    return { all: opened, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns a key for each account. */
async function fill(settings: Record<string, string>): Promise<string[]> {
  const { db, close } = await openDatabase(readConfig({ ...settings, LOG_LEVEL: 'error' }));
  try {
    await createAccounts(db, accounts);
    return await Promise.all(accounts.map(({ id }: BenchAccount) => createKey(db, id)));
  } finally {
    await close();
  }
}

async function workersOf(coordinator: string): Promise<number[]> {
  const nodes = await onServer(coordinator, 'SELECT node_name, node_port FROM citus_get_active_worker_nodes()');
  const urls = nodes.map((node) => {
    const address = new URL(coordinator);
    address.host = `${String(node['node_name'])}:${String(node['node_port'])}`;
    return address.href;
  });
  return Promise.all(urls.map(firstProcessOf));
}
