import type { Database } from '../../database/open.js';
import { forgetRefreshAnswers } from './refresh-answer.js';

const dayMs = 24 * 60 * 60_000;

/** How long expired codes and tokens are kept (days), so that a late one can be distinguished from an unknown one. */
const keptDays = 7;

/** After this many days without use, the refresh tokens of an authorization have all expired. */
const idleDaysMax = 31;

/** Deletes expired rows, so that the tables do not grow. */
export async function forgetExpired(db: Database, now: Date): Promise<void> {
  const expired = { expiresAt: { lt: new Date(now.getTime() - keptDays * dayMs) } };
  await db.oauthCode.deleteMany({ where: expired });
  await db.oauthDeviceCode.deleteMany({ where: expired });
  await db.oauthRefreshToken.deleteMany({ where: expired });
  await forgetRefreshAnswers(db);
  await db.accessToken.deleteMany({ where: expired });
  await db.signInSession.deleteMany({ where: { expiresAt: { lt: now } } });
  await db.usedLogoutToken.deleteMany({ where: { expiresAt: { lt: now } } });
  await db.signInAttempt.deleteMany({ where: { endsAt: { lt: now } } });
  const idle = { lastUsedAt: { lt: new Date(now.getTime() - idleDaysMax * dayMs) } };
  await db.oauthAuthorization.deleteMany({ where: idle });
}
