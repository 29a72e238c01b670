// A client may send a refresh token twice at the same time, or miss the response. For ten seconds, the same token
// returns the same response, until the new refresh token is used. After that, using the old token again is treated as
// theft. The clock of the database decides, because another process may get the second request. The stored response is
// encrypted with the old token, so only its holder can decrypt it.
import { z } from 'zod';
import type { Database, Transaction } from '../../database/open.js';
import { createEncryption } from '../../encryption.js';
import { hashOpaqueToken } from './opaque-token.js';

export const refreshGraceSeconds = 10;

const purpose = 'refresh answer';

const keptAnswer = z.object({
  answer: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.number(),
    scope: z.string(),
    refresh_token: z.string(),
    id_token: z.string().optional(),
  }),
  principalId: z.string(),
  authorizationId: z.string(),
  tokenId: z.string(),
});

type KeptAnswer = z.output<typeof keptAnswer>;

/** Stores the response to the use of a refresh token, in the same transaction. */
export async function keepRefreshAnswer(tx: Transaction, refreshToken: string, response: object): Promise<void> {
  const stored = keptAnswer.safeParse(response).data;
  // A client that is no longer registered for refreshing gets no new refresh token.
  if (stored === undefined) return;
  await tx.oauthRefreshToken.update({
    where: { hash: hashOpaqueToken(refreshToken) },
    data: {
      successorHash: hashOpaqueToken(stored.answer.refresh_token),
      encryptedResponse: createEncryption([refreshToken]).encrypt(purpose, JSON.stringify(stored)),
    },
  });
}

/** Returns the stored response of a used token; undefined when it must not be repeated. */
export async function repeatRefreshAnswer(
  db: Database,
  clientId: string,
  refreshToken: string,
): Promise<KeptAnswer | undefined> {
  const [row] = await db.$queryRaw<{ encryptedResponse: string }[]>`
    SELECT t."encrypted_response" AS "encryptedResponse" FROM "oauth_refresh_token" AS t
    JOIN "oauth_authorization" AS a ON a."id" = t."authorization_id"
    JOIN "oauth_refresh_token" AS successor ON successor."hash" = t."successor_hash"
    WHERE t."hash" = ${hashOpaqueToken(refreshToken)} AND t."client_id" = ${clientId} AND t."encrypted_response" IS NOT NULL
      AND t."used_at" >= now() - ${refreshGraceSeconds} * interval '1 second'
      AND a."ended_at" IS NULL AND successor."used_at" IS NULL`;
  const opened = row && createEncryption([refreshToken]).decrypt(purpose, row.encryptedResponse);
  return opened === undefined ? undefined : keptAnswer.parse(JSON.parse(opened));
}

/** Deletes the responses that are no longer repeated. */
export async function forgetRefreshAnswers(db: Database): Promise<void> {
  await db.$executeRaw`
    UPDATE "oauth_refresh_token" SET "encrypted_response" = NULL
    WHERE "encrypted_response" IS NOT NULL AND "used_at" < now() - ${refreshGraceSeconds} * interval '1 second'`;
}
