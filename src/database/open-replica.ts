import { PrismaPg } from '@prisma/adapter-pg';
import type pg from 'pg';
import type { Config } from '../config.js';
import { observedAdapter } from './observed-adapter.js';
import type { StatementDone } from './observed-adapter.js';
import { createReadReplica, positionSql } from './read-replica.js';
import type { ReadReplica, WalPosition } from './read-replica.js';
import { openReplicaPools } from './server-pools.js';
import type { ConnectionShare, ServerSettings } from './server-pools.js';
import { textReader } from './text-reader.js';

type ReplicaSettings = ServerSettings & Pick<Config, 'DATABASE_READ_URL' | 'DATABASE_READ_STALE_MS_MAX'>;

export interface ReplicaOptions {
  onStatement?: (sql: string) => void;
  /** Called when the replica is no longer used, with the reason, and when it is used again. */
  onReplica?: (problem: string | undefined, error?: unknown) => void;
}

export interface OpenReplica {
  replica: ReadReplica;
  share: () => ConnectionShare;
  close: () => Promise<void>;
}

/**
 * Prepares reads from the replica of the settings. It connects at the first read.
 *
 * @param primary connections to the replica's primary.
 */
export async function openReplica(
  config: ReplicaSettings,
  primary: pg.Pool,
  names: { statementNameGenerator?: (statement: { sql: string }) => string },
  onDone: (statement: StatementDone) => void,
  options: ReplicaOptions,
): Promise<OpenReplica | undefined> {
  const { DATABASE_READ_URL: url, DATABASE_READ_STALE_MS_MAX: staleMsMax } = config;
  if (url === undefined) return undefined;
  const pools = openReplicaPools(url, config);
  const reader = await observedAdapter(new PrismaPg(pools.reads, names), onDone).connect();
  const replica = createReadReplica({
    primary: () => positionOf(primary),
    replica: () => positionOf(pools.probe),
    readText: textReader(reader, options.onStatement),
    staleMsMax,
    onTurn: options.onReplica ?? (() => {}),
  });
  return {
    replica,
    share: pools.share,
    close: async () => {
      replica.close();
      await reader.dispose();
      await pools.close();
    },
  };
}

async function positionOf(pool: pg.Pool): Promise<WalPosition> {
  const { rows } = await pool.query<Omit<WalPosition, 'position'> & { position: string | null }>(positionSql);
  const [row] = rows;
  // A replica that has just started has not applied anything yet.
  if (row?.position == null) throw new Error('a server does not say how far it is');
  return { ...row, position: BigInt(row.position) };
}
