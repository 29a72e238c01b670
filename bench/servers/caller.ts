// Who is calling, for the peers that check it: an API key that is looked up and remembered for half a second, as the
// control plane does, and the workspace of the request, which has to be one of the key's account.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { readWorkspace, workspaceName } from './rows.js';
import type { Workspace } from './rows.js';

/** `CHECKS=on`: the peers check keys, rates and costs. Without it they know no callers. */
export const checksCallers = process.env['CHECKS'] === 'on';

const rememberedMs = 500;
const known = new LRUCache<string, Promise<Map<string, Workspace>>>({ max: 10_000, ttl: rememberedMs });

/** The workspaces that a key gives access to, by name. */
async function workspacesOf(pool: pg.Pool, key: string): Promise<Map<string, Workspace>> {
  const { rows } = await pool.query<Workspace>({
    name: 'caller',
    text: `
      SELECT w.id, w.name, w.account_id, a.plan
      FROM api_key k JOIN account a ON a.id = k.account_id JOIN workspace w ON w.account_id = a.id
      WHERE k.hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
    values: [createHash('sha256').update(key).digest()],
  });
  return new Map(rows.map((row) => [row.name, row]));
}

/** The workspace of a request, if its key gives access to it. */
export async function workspaceOf(
  pool: pg.Pool,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Promise<Workspace | undefined> {
  const { authorization, 'x-service-workspace': name } = headers;
  if (typeof authorization !== 'string' || !authorization.startsWith('Bearer ')) return undefined;
  const key = authorization.slice('Bearer '.length);
  let workspaces = known.get(key);
  if (workspaces === undefined) {
    workspaces = workspacesOf(pool, key);
    known.set(key, workspaces);
  }
  return (await workspaces).get(String(name));
}

/** The one workspace that a server reads when it knows no callers. */
export async function onlyWorkspace(): Promise<Workspace | undefined> {
  return checksCallers ? undefined : readWorkspace(workspaceName);
}
