// Loads stored credentials with what they give access to. Concurrent lookups are batched into one statement.
import DataLoader from 'dataloader';
import { z } from 'zod';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { findJson } from '../database/read-json.js';
import { accessSql, accessRow } from './caller-access.js';

const credentialRow = z.object({
  /** The key of the lookup. */
  key: z.string(),
  id: z.string(),
  label: z.string().nullable(),
  revokedAt: z.string().nullable(),
  expiresAt: z.string().nullable(),
  lastUsedAt: z.string().nullish(),
  accountId: z.string(),
  principalId: z.string(),
  scope: z.string(),
  addressRanges: z.array(z.string()).optional(),
  access: accessRow.nullable(),
});

type CredentialRow = z.output<typeof credentialRow>;

/** Loads a credential by its key; undefined when it is unknown. */
export type CredentialLoader = Pick<DataLoader<string, CredentialRow | undefined>, 'load'>;

/**
 * The common fields of both kinds of credential `c`, for json_build_object.
 *
 * @param provider SQL of the identity provider of the sign-in that the credential follows from, if it does.
 */
const accessColumns = (provider?: Prisma.Sql): Prisma.Sql => Prisma.sql`
  'id', c."id", 'revokedAt', c."revoked_at", 'expiresAt', c."expires_at", 'accountId', c."account_id",
  'principalId', c."principal_id", 'scope', c."scope",
  'access', (${accessSql(Prisma.sql`c."principal_id"`, Prisma.sql`c."account_id"`, Prisma.sql`c."workspace_id"`, provider)})`;

/** Loads API keys by hash (hexadecimal). */
export function apiKeysByHash(db: Database): CredentialLoader {
  return credentialLoader(
    db,
    (hashes) => Prisma.sql`
      SELECT json_agg(json_build_object('key', requested."key", 'label', c."prefix", 'lastUsedAt', c."last_used_at",
        'addressRanges', c."address_ranges", ${accessColumns()}))::text
      FROM unnest(${hashes}::text[]) AS requested("key") JOIN "api_key" c ON c."hash" = decode(requested."key", 'hex')`,
  );
}

/** A token without an authorization acts for a program, so it fulfils every requirement of the account. */
const providerOfToken = Prisma.sql`
  CASE WHEN c."authorization_id" IS NULL THEN a."required_sign_in_provider"
    ELSE (SELECT z."provider" FROM "oauth_authorization" AS z WHERE z."id" = c."authorization_id") END`;

/** Loads access tokens by id. */
export function accessTokensById(db: Database): CredentialLoader {
  return credentialLoader(
    db,
    (ids) => Prisma.sql`
      SELECT json_agg(json_build_object('key', c."id", 'label', c."client_id", ${accessColumns(providerOfToken)}))::text
      FROM unnest(${ids}::uuid[]) AS requested("id") JOIN "access_token" c ON c."id" = requested."id"`,
  );
}

/** The maximum per statement. Parsing the rows of a larger one would block the event loop. */
const readMax = 50;

function credentialLoader(db: Database, select: (keys: string[]) => Prisma.Sql): CredentialLoader {
  const load = async (keys: readonly string[]) => {
    const rows = z.array(credentialRow).parse((await findJson(db, select([...keys]))) ?? []);
    const found = new Map(rows.map((row) => [row.key, row]));
    return keys.map((key) => found.get(key));
  };
  return new DataLoader(load, { cache: false, maxBatchSize: readMax });
}
