import type { Database } from '../../database/open.js';
import { refreshGraceSeconds } from './refresh-answer.js';

const dayMs = 24 * 60 * 60_000;

/** How long what has expired is kept: a code or token that comes too late can be told from one that never was. */
const keptDays = 7;

/** An authorization that was not used for longer than its refresh tokens live can never be used again. */
const idleDaysMax = 31;

/** Forgets what has expired, so that the tables stay as large as what is in use. */
export async function forgetExpired(db: Database, now: Date): Promise<void> {
  const expired = { expiresAt: { lt: new Date(now.getTime() - keptDays * dayMs) } };
  await db.oauthCode.deleteMany({ where: expired });
  await db.oauthDeviceCode.deleteMany({ where: expired });
  await db.oauthRefreshToken.deleteMany({ where: expired });
  const heard = { lt: new Date(now.getTime() - refreshGraceSeconds * 1000) };
  await db.oauthRefreshToken.updateMany({
    where: { usedAt: heard, sealedAnswer: { not: null } },
    data: { sealedAnswer: null },
  });
  await db.accessToken.deleteMany({ where: expired });
  await db.signInSession.deleteMany({ where: { expiresAt: { lt: now } } });
  await db.signInAttempt.deleteMany({ where: { endsAt: { lt: now } } });
  const idle = { lastUsedAt: { lt: new Date(now.getTime() - idleDaysMax * dayMs) } };
  await db.oauthAuthorization.deleteMany({ where: idle });
}

/** How long an invitation is kept that was accepted, declined, revoked, or that nobody decided on in time. */
const invitationsKeptDays = 30;

/** Forgets invitations that are over; the history tells of them for as long as it is kept. */
export async function forgetInvitations(db: Database, now: Date): Promise<void> {
  const before = new Date(now.getTime() - invitationsKeptDays * dayMs);
  // By the index on what ends one first.
  await db.$executeRaw`DELETE FROM "invitation" WHERE least("decided_at", "expires_at") < ${before}`;
}
