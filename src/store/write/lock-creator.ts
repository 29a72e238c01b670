import type { Authorized } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { findJson } from '../../database/read-json.js';
import { unauthorized } from '../../errors.js';
import { isResourceId } from '../../schema/resource.js';

/**
 * Locks the credential of a request that creates a secret, until the transaction ends. Its revocation waits for that, and a
 * revocation that includes descendants so finds the key that is created here. The workspace of a confined credential is
 * locked first, as its deletion does, so this must be the first lock of a transaction: the two cannot deadlock.
 *
 * @throws 401 `unauthorized` if it was revoked while this process still remembered it (half a second).
 */
export async function lockCreator({ db, caller }: Authorized): Promise<void> {
  const { kind, id } = caller.credential;
  if (kind === 'session' || !isResourceId(id)) return;
  const table = Prisma.raw(kind === 'api_key' ? '"api_key"' : '"access_token"');
  const found = await findJson<boolean>(
    db,
    Prisma.sql`
      WITH "confined" AS MATERIALIZED (
        SELECT FROM "workspace" AS w WHERE w."id" = ${caller.confinedTo ?? null}::uuid FOR KEY SHARE)
      SELECT (k."revoked_at" IS NOT NULL)::text FROM (SELECT count(*) FROM "confined") AS c, ${table} AS k
      WHERE k."id" = ${id}::uuid FOR NO KEY UPDATE OF k`,
  );
  // A token of a trusted issuer is not stored.
  const isRevoked = found ?? kind === 'api_key';
  if (isRevoked) throw unauthorized('The credential is invalid, expired or revoked.');
}
