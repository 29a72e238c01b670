// Credentials as the database holds them, with what they reach. Many that are asked for at the same time, as by all who watch,
// are read by one statement.
import DataLoader from 'dataloader';
import { z } from 'zod';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import { reachOf, reachRow } from './reach.js';

const credentialRow = z.object({
  /** What it was asked for by. */
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
  reach: reachRow.nullable(),
});

type CredentialRow = z.output<typeof credentialRow>;

/** Credentials by what tells them apart; undefined for what is none. */
export type CredentialLoader = Pick<DataLoader<string, CredentialRow | undefined>, 'load'>;

/** What both kinds hold of a credential `c`, for json_build_object. */
const held = Prisma.sql`
  'id', c."id", 'revokedAt', c."revoked_at", 'expiresAt', c."expires_at", 'accountId', c."account_id",
  'principalId', c."principal_id", 'scope', c."scope",
  'reach', (${reachOf(Prisma.sql`c."principal_id"`, Prisma.sql`c."account_id"`, Prisma.sql`c."workspace_id"`)})`;

/** API keys by their hashes, in hexadecimal. */
export function apiKeysByHash(db: Database): CredentialLoader {
  return credentialLoader(
    db,
    (hashes) => Prisma.sql`
      SELECT json_agg(json_build_object('key', asked."key", 'label', c."prefix", 'lastUsedAt', c."last_used_at",
        'addressRanges', c."address_ranges", ${held}))::text
      FROM unnest(${hashes}::text[]) AS asked("key") JOIN "api_key" c ON c."hash" = decode(asked."key", 'hex')`,
  );
}

/** Access tokens by their ids. */
export function accessTokensById(db: Database): CredentialLoader {
  return credentialLoader(
    db,
    (ids) => Prisma.sql`
      SELECT json_agg(json_build_object('key', c."id", 'label', c."client_id", ${held}))::text
      FROM unnest(${ids}::uuid[]) AS asked("id") JOIN "access_token" c ON c."id" = asked."id"`,
  );
}

/** More are read by several statements, so that their rows do not hold up everything else. */
const readMax = 50;

function credentialLoader(db: Database, select: (keys: string[]) => Prisma.Sql): CredentialLoader {
  const load = async (keys: readonly string[]) => {
    const text = await db.$text(select([...keys]));
    const rows = text === '' ? [] : z.array(credentialRow).parse(JSON.parse(text));
    const found = new Map(rows.map((row) => [row.key, row]));
    return keys.map((key) => found.get(key));
  };
  return new DataLoader(load, { cache: false, maxBatchSize: readMax });
}
