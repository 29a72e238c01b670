// Device authorization (RFC 8628): a program without a browser displays a short user code, and the user enters it on a
// page of this service on another machine. The device code is long and secret. The user code is short, lives for
// minutes, and attempts to enter one are rate limited.
import { createHash, randomInt } from 'node:crypto';
import type { OauthDeviceCode } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { agreedScope, recordAgreement } from './authorization.js';
import type { Decision, OnAgreed, SignedInUser } from './authorization.js';
import type { OauthClient } from './oauth-client.js';
import { OauthError } from './oauth-error.js';
import { createOpaqueToken } from './opaque-token.js';

const lifeSeconds = 10 * 60;
export const pollIntervalSeconds = 5;

/** Consonants, to avoid words, without letters that are easily confused (RFC 8628, section 6.1). */
const userCodeLetters = 'BCDFGHJKLMNPQRSTVWXZ';
const userCodeLength = 8;
const triesMax = 3;

/** The response of RFC 8628, section 3.2, without the URLs. */
export interface IssuedDeviceCode {
  deviceCode: string;
  /** As displayed: `WDJB-MJHT`. */
  userCode: string;
  expiresInSeconds: number;
  intervalSeconds: number;
}

/** @param address the network address of the program, which the user is shown. */
export async function issueDeviceCode(
  db: Database,
  clientId: string,
  scopes: string[],
  address: string,
  now: Date,
): Promise<IssuedDeviceCode> {
  for (let tries = 0; tries < triesMax; tries++) {
    const { token, hash } = createOpaqueToken('wcd_');
    const userCode = createUserCode();
    const data = {
      hash,
      userCodeHash: hashUserCode(userCode),
      clientId,
      scope: scopes.join(' '),
      address,
      createdAt: now,
      expiresAt: new Date(now.getTime() + lifeSeconds * 1000),
      intervalSeconds: pollIntervalSeconds,
    };
    const { count } = await db.oauthDeviceCode.createMany({ data, skipDuplicates: true });
    if (count === 0) continue;
    const half = userCodeLength / 2;
    return {
      deviceCode: token,
      userCode: `${userCode.slice(0, half)}-${userCode.slice(half)}`,
      expiresInSeconds: lifeSeconds,
      intervalSeconds: pollIntervalSeconds,
    };
  }
  throw new OauthError('temporarily_unavailable', 'No device code is available. Try again.', { client: clientId });
}

/** The pending request of a program. */
export interface DeviceRequest {
  hash: Uint8Array<ArrayBuffer>;
  client: OauthClient;
  scopes: string[];
  address: string;
}

/**
 * Finds the request of a user code, however it was typed.
 *
 * @returns undefined for an unknown, expired or already decided code.
 */
export async function findDeviceRequest(db: Database, typed: string, now: Date): Promise<DeviceRequest | undefined> {
  const userCode = canonicalUserCode(typed);
  if (userCode === undefined) return undefined;
  const row = await db.oauthDeviceCode.findUnique({
    where: { userCodeHash: hashUserCode(userCode) },
    include: { client: true },
  });
  if (row === null || row.decidedAt !== null || row.expiresAt <= now || row.client.revokedAt !== null) return undefined;
  const { hash, client, scope, address } = row;
  return { hash: Uint8Array.from(hash), client, scopes: scope.split(' '), address };
}

/**
 * Records the user's decision. Of two decisions on one code the first counts.
 *
 * @param decision undefined when the user denies the request.
 * @returns the authorization and its scope; undefined when there is none, or the code was decided before.
 * @throws `access_denied` when no scope is left, or the account or workspace is inaccessible to the user.
 */
export async function decideDeviceRequest(
  db: Database,
  user: SignedInUser,
  { hash, client, scopes }: DeviceRequest,
  decision: Decision | undefined,
  now: Date,
  onAgreed: OnAgreed,
): Promise<{ authorizationId: string; scope: string } | undefined> {
  return db.$begin(async (tx) => {
    const prisma = await tx.$prisma();
    const { count } = await prisma.oauthDeviceCode.updateMany({
      where: { hash, decidedAt: null, expiresAt: { gt: now } },
      data: { decidedAt: now },
    });
    if (count === 0 || decision === undefined) return undefined;
    const scope = await agreedScope(prisma, user, { client, scopes }, decision);
    const authorizationId = await recordAgreement(prisma, user, client.id, { ...decision, scope }, now);
    await prisma.oauthDeviceCode.update({ where: { hash }, data: { authorizationId } });
    await onAgreed(tx, { ...decision, scope });
    return { authorizationId, scope };
  });
}

/** The increase of the polling interval for a program that polls too fast (RFC 8628, section 3.5). */
const impatienceSeconds = 5;

/** Tolerance for polls that arrive slightly early because of network jitter. */
const toleranceMs = 1_000;

/**
 * Throws the error for a device code that cannot be redeemed.
 *
 * @throws `authorization_pending`, `slow_down`, `access_denied`, `expired_token`: RFC 8628, section 3.5.
 */
export async function refuseDeviceCode(db: Database, code: OauthDeviceCode, now: Date): Promise<never> {
  const subject = { client: code.clientId };
  if (code.expiresAt <= now)
    throw new OauthError('expired_token', 'The device code has expired. Start again.', subject);
  const isDenied = code.decidedAt !== null && code.authorizationId === null;
  if (isDenied) throw new OauthError('access_denied', 'The user denied the request.', subject);
  const { hash, polledAt, intervalSeconds } = code;
  const sinceMs = polledAt === null ? Number.POSITIVE_INFINITY : now.getTime() - polledAt.getTime();
  const isTooSoon = sinceMs < intervalSeconds * 1000 - toleranceMs;
  await db.oauthDeviceCode.updateMany({
    where: { hash },
    data: { polledAt: now, ...(isTooSoon ? { intervalSeconds: { increment: impatienceSeconds } } : {}) },
  });
  if (isTooSoon) throw new OauthError('slow_down', 'Poll less often.', subject);
  throw new OauthError('authorization_pending', 'The user has not decided yet.', subject);
}

function createUserCode(): string {
  return Array.from({ length: userCodeLength }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join('');
}

/** Ignores case and separators. */
function canonicalUserCode(typed: string): string | undefined {
  if (typed.length > 100) return undefined;
  const code = typed.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return code.length === userCodeLength ? code : undefined;
}

function hashUserCode(userCode: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(userCode).digest());
}
