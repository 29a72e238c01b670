// One change under an Idempotency-Key: it takes the key before anything is written, and keeps its answer with what is
// written. Whoever asks the same again gets that answer.
import { createHash } from 'node:crypto';
import type { Caller } from './caller.js';
import { Prisma } from '../database/client/client.js';
import type { Statements } from '../database/open.js';
import { ApiError } from '../errors.js';
import type { Seal } from '../encryption.js';

/** For how long an answer is given again. */
const keptMs = 24 * 60 * 60_000;

/** A longer name of a part is kept as its digest: callers choose it, and an index holds no long ones. */
const partLengthMax = 100;

/** What answers are sealed for. */
export const answerPurpose = 'idempotent answer';

/** What is asked, as far as it tells one request from another. */
export interface IdempotentRequest {
  /** All that the caller asks for. */
  content: readonly unknown[];
  /** Which change of the request it is, where one has several. */
  part: string;
}

/** What of a request says who asks for what. */
interface Asking {
  caller: Caller;
  workspaceName: string | undefined;
  idempotencyKey: string | undefined;
  now: () => Date;
  seal: Seal;
}

export interface KeyOfCaller {
  accountId: string;
  principalId: string;
  key: string;
}

/** Thrown in place of making a change again: what was answered the first time. */
export class KeptAnswer extends Error {
  constructor(
    readonly once: Once,
    readonly text: string,
  ) {
    super('made before');
  }
}

/** The change of a request that has an Idempotency-Key; undefined for one that has none. */
export function onceOf(
  ctx: Asking,
  request: IdempotentRequest,
  textFrom: (answer: unknown) => string,
): Once | undefined {
  const { idempotencyKey: key, caller } = ctx;
  const [account] = caller.accounts;
  if (key === undefined || account === undefined) return undefined;
  return new Once(ctx, { accountId: account.id, principalId: caller.principal.id, key }, request, textFrom);
}

export class Once {
  readonly #ctx: Asking;
  readonly #key: KeyOfCaller;
  readonly #digest: string;
  readonly #part: string;
  readonly #textFrom: (answer: unknown) => string;
  /** Other parts of the same request, which were made before. */
  readonly #known: string[] = [];
  #isNew = false;

  constructor(
    ctx: Asking,
    key: KeyOfCaller,
    { content, part }: IdempotentRequest,
    textFrom: (answer: unknown) => string,
  ) {
    this.#ctx = ctx;
    this.#key = key;
    this.#digest = digestOf(ctx, content);
    this.#part = part.length > partLengthMax ? digestOf(ctx, [part]) : part;
    this.#textFrom = textFrom;
  }

  /** SQL that takes the key for the transaction, as a text for isClaimed(). */
  claim(): Prisma.Sql {
    const { accountId, principalId, key } = this.#key;
    const lock = JSON.stringify(['idempotency key', accountId, principalId, key]);
    return Prisma.sql`claim_idempotency_key(
      ${lock}, ${accountId}::uuid, ${principalId}::uuid, ${key}, ${this.#keptSince()}::timestamptz, ${this.#known}::text[])`;
  }

  /**
   * Whether a statement that went on for a free key alone did so; if not, it can be sent again. In a transaction the key is
   * taken either way.
   *
   * @param found what the claim answered.
   * @throws {KeptAnswer} where this change was made before; 409 `idempotency_key_in_use` while the first request under the
   *   key still runs; 422 `idempotency_key_reused` where that was another one, or one that cannot be read.
   */
  isClaimed(found: string): boolean {
    if (found === 'busy') throw keyInUse();
    const kept: [part: string, answer: string][] = found === '' ? [] : JSON.parse(found);
    const [part, answer] = kept.find(([each]) => each === this.#part) ?? kept[0] ?? [];
    if (part === undefined || answer === undefined) return true;
    const [digest, text]: string[] = JSON.parse(this.#sealOf(part).open(answerPurpose, answer) ?? '[]');
    if (digest !== this.#digest || text === undefined) throw keyReused();
    if (part === this.#part) throw new KeptAnswer(this, text);
    this.#known.push(...kept.map(([each]) => each));
    return false;
  }

  /** For what has to be read before the change, and may be gone when it is asked for again. @throws like isClaimed() */
  async requireNew(db: Statements): Promise<void> {
    if (this.#isNew) return;
    const { accountId, principalId, key } = this.#key;
    const rows = await db.idempotencyKey.findMany({
      where: { accountId, principalId, key, createdAt: { gt: this.#keptSince() } },
      select: { part: true, answer: true },
    });
    this.isClaimed(JSON.stringify(rows.map(({ part, answer }) => [part, answer])));
    this.#isNew = true;
  }

  /** An answer as it is kept. */
  sealed(answer: unknown): string {
    return this.#sealOf(this.#part).seal(answerPurpose, JSON.stringify([this.#digest, this.#textFrom(answer)]));
  }

  /**
   * SQL that keeps an answer.
   *
   * @param sealed SQL of what sealed() made of it. @param of what has to be there for it, as behind FROM.
   */
  keeping(sealed: Prisma.Sql, of = Prisma.empty): Prisma.Sql {
    const { accountId, principalId, key } = this.#key;
    // One that is over, and was not forgotten yet, makes room.
    return Prisma.sql`
      INSERT INTO "idempotency_key" ("account_id", "principal_id", "key", "part", "answer", "created_at")
      SELECT ${accountId}::uuid, ${principalId}::uuid, ${key}, ${this.#part}, ${sealed}, ${this.#ctx.now()}::timestamptz ${of}
      ON CONFLICT ("account_id", "principal_id", "key", "part")
      DO UPDATE SET "answer" = EXCLUDED."answer", "created_at" = EXCLUDED."created_at"`;
  }

  #keptSince(): Date {
    return keptSince(this.#ctx.now());
  }

  /** An answer is sealed for its own place in the table. */
  #sealOf(part: string) {
    return this.#ctx.seal.ofRow('idempotency_key', keyOfAnswer(this.#key, part));
  }
}

/** Answers of before that are given no more. */
export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptMs);
}

/** The key of an answer's row, by which it is sealed. */
export function keyOfAnswer({ accountId, principalId, key }: KeyOfCaller, part: string): string {
  return JSON.stringify([accountId, principalId, key, part]);
}

/** What the credential may is part of the request: one that may less is not told what another one was. */
function digestOf({ workspaceName, caller }: Asking, content: readonly unknown[]): string {
  const { confinedTo, scopes } = caller;
  const asked = JSON.stringify([content, workspaceName ?? null, confinedTo ?? null, [...scopes].toSorted()]);
  return createHash('sha256').update(asked).digest('base64url');
}

/** Of two requests at the same time the second does not wait: it may be the same one, sent again too soon. */
function keyInUse(): ApiError {
  return new ApiError(
    'idempotency_key_in_use',
    'A request with this Idempotency-Key still runs. Ask again soon: the answer will be that of the first.',
    { headers: { 'Retry-After': '1' } },
  );
}

function keyReused(): ApiError {
  return new ApiError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request within the last 24 hours. Use a new one for each request.',
  );
}
