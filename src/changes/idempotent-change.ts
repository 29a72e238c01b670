// The Idempotency-Key header. A change with a key is made once: its response is stored in the transaction of the
// change, and a repeated request gets the stored response for a day.
import { createHash } from 'node:crypto';
import { authorizeScope } from '../auth/authorize.js';
import { contextWithin, runAfterCommit, runAfterTransaction } from '../auth/context.js';
import type { RequestContext } from '../auth/context.js';
import { Prisma } from '../database/client/client.js';
import type { Database } from '../database/open.js';
import type { Statements } from '../database/transaction.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import { orRollBack } from '../database/roll-back.js';
import { nestedTransaction } from '../database/nested-transaction.js';
import { hasState } from '../database/failures.js';
import { ApiError } from '../errors.js';

/** How long a response is stored (milliseconds). */
const storedMs = 24 * 60 * 60_000;

/** Longer names of parts are stored as a digest: callers choose them, and index entries have a maximum length. */
const partLengthMax = 100;

/** The purpose under which responses are encrypted. */
export const responsePurpose = 'idempotent answer';

/** Identifies a request. */
export interface IdempotentRequest {
  /** Everything that the caller asks for. */
  content: readonly unknown[];
  /** Identifies the change within the request, which may make several. */
  part: string;
}

/** The primary key of a stored response, without its part. */
export interface CallerKey {
  accountId: string;
  principalId: string;
  key: string;
}

/**
 * Makes a change once for each idempotency key; without a key it always makes it.
 *
 * @param act makes the change with the given context, in the transaction in which its response is stored, and returns the
 *   serialized response. If it throws, nothing is changed or stored, and the key can be used again.
 * @returns the response, or the stored one if the change was made before.
 * @throws 409 `idempotency_key_in_use` while the first request with the key is in progress; 422
 * `idempotency_key_reused` if that request was a different one.
 */
export async function changeOnce<Ctx extends RequestContext>(
  ctx: Ctx,
  { content, part: givenPart }: IdempotentRequest,
  act: (ctx: Ctx) => Promise<string>,
): Promise<string> {
  const { idempotencyKey: key, caller } = ctx;
  const [account] = caller.accounts;
  if (key === undefined || account === undefined) return act(ctx);
  const callerKey = { accountId: account.id, principalId: caller.principal.id, key };
  const digest = digestOf(ctx, content);
  const part = givenPart.length > partLengthMax ? digestOf(ctx, [givenPart]) : givenPart;
  const authorized = authorizeScope(ctx);
  const waiting: Ctx[] = [];
  let made: Ctx | undefined;
  const run = () =>
    orRollBack<string>((rollBack) =>
      authorized.transaction(async ({ db }) => {
        made = undefined;
        const claim = await claimKey(ctx, db, callerKey);
        const within = nestedTransaction(db);
        const inner = contextWithin(ctx, within.tx);
        // Sends the claim with its first statement. Whatever the outcome, an earlier one of the key precedes it.
        const [outcome] = await Promise.allSettled([act(inner)]);
        if (claim.stored === undefined) await db.$flush();
        const earlier = earlierResponse(ctx, callerKey, claim, { digest, part });
        if (earlier !== undefined) return rollBack(earlier);
        waiting.push(inner);
        if (outcome.status === 'rejected') throw outcome.reason;
        within.requireWhole();
        await storeResponse(ctx, db, callerKey, { digest, part, text: outcome.value });
        made = inner;
        return outcome.value;
      }),
    );
  const response = await retryConflicts(run).finally(async () => {
    for (const inner of waiting) await runAfterTransaction(inner, authorized.db);
  });
  if (made !== undefined) runAfterCommit(made);
  return response;
}

/** A change with a key: its part of the request, and the digest of the request. */
interface KeyedChange {
  part: string;
  digest: string;
}

/** The stored parts and encrypted responses of a claimed key, as JSON. Undefined until the database has answered. */
interface Claim {
  stored: string | undefined;
}

/** SQLSTATE of the claim of a key that another transaction holds. */
const inUseState = 'WCP02';

/**
 * Claims the key for the transaction, with its next statement.
 *
 * @throws 409 `idempotency_key_in_use`, as the failure of that statement.
 */
async function claimKey(ctx: RequestContext, db: Statements, callerKey: CallerKey): Promise<Claim> {
  const { accountId, principalId, key } = callerKey;
  const lock = JSON.stringify(['idempotency key', accountId, principalId, key]);
  const claim: Claim = { stored: undefined };
  await db.$defer(
    Prisma.sql`
      SELECT claim_idempotency_key(
        ${lock}, ${accountId}::uuid, ${principalId}::uuid, ${key}, ${storedSince(ctx.now())}::timestamptz)`,
    (error) => (hasState(error, inUseState) ? keyInUse() : error),
    (text) => {
      claim.stored = text;
    },
  );
  return claim;
}

/**
 * @returns the stored response of the part, if the change was made before.
 * @throws 422 `idempotency_key_reused`, also if the stored response cannot be decrypted.
 */
function earlierResponse(
  ctx: RequestContext,
  callerKey: CallerKey,
  { stored = '' }: Claim,
  { digest, part }: KeyedChange,
): string | undefined {
  const parts: [part: string, response: string][] = stored === '' ? [] : JSON.parse(stored);
  const own = parts.find(([each]) => each === part);
  // Any part shows whether the key was used for this request.
  const [foundPart, response] = own ?? parts[0] ?? [];
  if (foundPart === undefined || response === undefined) return undefined;
  const opened = encryptionOf(ctx, callerKey, foundPart).decrypt(responsePurpose, response);
  const [storedDigest, text]: string[] = JSON.parse(opened ?? '[]');
  if (storedDigest !== digest || text === undefined) throw keyReused();
  return own === undefined ? undefined : text;
}

async function storeResponse(
  ctx: RequestContext,
  db: Statements,
  callerKey: CallerKey,
  { digest, part, text }: KeyedChange & { text: string },
): Promise<void> {
  const { accountId, principalId, key } = callerKey;
  const encryptedText = encryptionOf(ctx, callerKey, part).encrypt(responsePurpose, JSON.stringify([digest, text]));
  // Overwrites an expired response that was not yet deleted.
  await db.$defer(Prisma.sql`
    INSERT INTO "idempotency_key" ("account_id", "principal_id", "key", "part", "answer", "created_at")
    VALUES (${accountId}::uuid, ${principalId}::uuid, ${key}, ${part}, ${encryptedText}, ${ctx.now()}::timestamptz)
    ON CONFLICT ("account_id", "principal_id", "key", "part")
    DO UPDATE SET "answer" = EXCLUDED."answer", "created_at" = EXCLUDED."created_at"`);
}

/** Deletes expired responses. */
export async function forgetIdempotentAnswers(db: Database, now: Date): Promise<void> {
  await db.idempotencyKey.deleteMany({ where: { createdAt: { lte: storedSince(now) } } });
}

function storedSince(now: Date): Date {
  return new Date(now.getTime() - storedMs);
}

/** The encryption of one row's response. */
function encryptionOf({ encryption }: RequestContext, callerKey: CallerKey, part: string) {
  return encryption.ofRow('idempotency_key', keyOfResponse(callerKey, part));
}

/** The key of a response's row, to which its encryption is bound. */
export function keyOfResponse({ accountId, principalId, key }: CallerKey, part: string): string {
  return JSON.stringify([accountId, principalId, key, part]);
}

/**
 * The digest covers the rights of the credential: a credential with fewer rights does not get the response of another
 * one.
 */
function digestOf({ workspaceName, caller }: RequestContext, content: readonly unknown[]): string {
  const { confinedTo, scopes } = caller;
  const text = JSON.stringify([content, workspaceName ?? null, confinedTo ?? null, [...scopes].toSorted()]);
  return createHash('sha256').update(text).digest('base64url');
}

/**
 * The error of the second of two concurrent requests. It fails instead of waiting, because it may be the same request,
 * repeated too soon.
 */
export function keyInUse(): ApiError {
  return new ApiError(
    'idempotency_key_in_use',
    'The first request with this Idempotency-Key is still running. Retry to get its response.',
    { headers: { 'Retry-After': '1' } },
  );
}

function keyReused(): ApiError {
  return new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for a different request in the last 24 hours. Use a new key for each request.',
  );
}
