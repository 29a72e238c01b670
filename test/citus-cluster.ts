// A database of a test's own on every node of a Citus cluster, with the tables of usage distributed.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/database/open.js';
import { distributeUsage } from '../src/cli/operator/usage-cluster.js';
import { onServer } from './database/on-server.js';

interface Node {
  host: string;
  port: number;
}

/**
 * @param coordinator the address of a database that knows the workers.
 * @param shards of each table. A few are created quickly, and are distributed in the same way as many.
 */
export async function freshCluster(
  coordinator: string,
  shards = 4,
): Promise<{ settings: Record<string, string>; remove: () => Promise<void> }> {
  const name = `control_plane_citus_${randomUUID().replaceAll('-', '')}`;
  const workers = await onServer(coordinator, 'SELECT node_name, node_port FROM citus_get_active_worker_nodes()');
  const nodes = workers.map((row): Node => ({ host: String(row['node_name']), port: Number(row['node_port']) }));
  const at = ({ host, port }: Node, database: string) => {
    const address = new URL(coordinator);
    address.host = `${host}:${port}`;
    address.pathname = `/${database}`;
    return address.href;
  };
  const { hostname, port } = new URL(coordinator);
  const all = [...nodes, { host: hostname, port: Number(port) }];
  for (const node of all) {
    await onServer(at(node, 'postgres'), `CREATE DATABASE ${name}`);
    await onServer(at(node, name), 'CREATE EXTENSION citus');
  }
  const own = at({ host: hostname, port: Number(port) }, name);
  await onServer(own, `SELECT citus_set_coordinator_host('${hostname}', ${port})`);
  // Creating nodes copies the roles of the server, which two tests must not do concurrently.
  const guard = new pg.Client(coordinator);
  await guard.connect();
  await guard.query('SELECT pg_advisory_lock(20261122)');
  for (const node of nodes) await onServer(own, `SELECT citus_add_node('${node.host}', ${node.port})`);
  await guard.end();
  await onServer(own, `ALTER DATABASE ${name} SET citus.shard_count = ${shards}`);
  const settings = { DATABASE_URL: own, SERVICE_SECRETS: 'a secret of the tests that is long enough' };
  const database = await openDatabase(readConfig(settings));
  await distributeUsage(database.db);
  await database.close();
  return {
    settings,
    remove: async () => {
      for (const node of all.toReversed()) {
        await onServer(at(node, 'postgres'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }
    },
  };
}
