// The key and the password of the demo's owner. They are stored next to the data, readable by their owner only, so that
// they stay the same over restarts. Each database has its own, which are replaced when they are no longer valid.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey, hashApiKey } from '../auth/api-key.js';
import type { Config } from '../config.js';
import type { Database } from '../database/open.js';
import { setUserPassword } from '../accounts/user-changes.js';
import { frameContext } from '../cli/operator/operator-context.js';
import type { Services } from '../server/services.js';
import { demoAccounts, demoOwner } from './company.js';
import { idOf } from './random.js';

export interface DemoCredentials {
  key: string;
  password: string;
}

type DatabasePlace = Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>;

/** The stored credentials, if they are valid for this database; otherwise new ones, which are stored. */
export async function demoCredentials(services: Services, config: DatabasePlace): Promise<DemoCredentials> {
  const { db, now } = services;
  const files = filesOf(config);
  const stored = readKept(files);
  if (stored !== undefined && (await isTaken(db, stored.key, now()))) return stored;
  const { key, prefix, hash } = createApiKey();
  const password = randomBytes(12).toString('base64url');
  await db.apiKey.create({
    data: {
      name: 'demo',
      prefix,
      hash,
      scope: 'admin',
      principalId: idOf(demoOwner),
      accountId: idOf(demoAccounts[0]?.name ?? ''),
    },
  });
  await setUserPassword(await frameContext(services), { name: demoOwner, password });
  mkdirSync(config.DATA_DIR, { recursive: true, mode: 0o700 });
  writeFileSync(files.key, `${key}\n`, { mode: 0o600 });
  writeFileSync(files.password, `${password}\n`, { mode: 0o600 });
  return { key, password };
}

function filesOf(config: DatabasePlace): DemoCredentials {
  return { key: fileOf(config, 'demo-key'), password: fileOf(config, 'demo-password') };
}

/** The state file of the meter. */
export function meterFile(config: DatabasePlace): string {
  return `${fileOf(config, 'demo-meter')}.json`;
}

/** Each database has its own file. */
function fileOf({ DATABASE_URL: url, DATA_DIR: folder }: DatabasePlace, file: string): string {
  if (url === undefined) return join(folder, file);
  const { host, pathname } = new URL(url);
  const name = createHash('sha256').update(`${host}${pathname}`).digest('hex').slice(0, 12);
  return join(folder, `${file}-${name}`);
}

function readKept(files: DemoCredentials): DemoCredentials | undefined {
  if (!existsSync(files.key) || !existsSync(files.password)) return undefined;
  return { key: readFileSync(files.key, 'utf8').trim(), password: readFileSync(files.password, 'utf8').trim() };
}

async function isTaken(db: Database, key: string, now: Date): Promise<boolean> {
  const row = await db.apiKey.findUnique({ where: { hash: hashApiKey(key) } });
  return row !== null && row.revokedAt === null && (row.expiresAt === null || row.expiresAt > now);
}
