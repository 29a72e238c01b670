// Browsers that a user has signed in with before. They have their own limit of sign-in attempts, so that an attacker
// who guesses passwords elsewhere cannot lock the user out.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Transaction } from '../../database/open.js';
import type { Encryption } from '../../encryption.js';

const purpose = 'known browser';

/** How long a browser is known after a sign-in (days), and the maximum number of users per browser. */
export const knownDaysMax = 90;
const usersMax = 5;

const dayMs = 24 * 60 * 60_000;

const knownBrowser = z.object({
  /** Identifies the browser; unrelated to its users. */
  id: z.string(),
  /** The users and times of sign-ins, newest first. */
  users: z.array(z.object({ id: z.string(), atMs: z.number() })),
});

type KnownBrowser = z.output<typeof knownBrowser>;

/** Returns the encrypted cookie of a known browser with a user added. Only this service can create or read it. */
export function encryptKnownBrowser(
  encryption: Encryption,
  before: string | undefined,
  principalId: string,
  now: Date,
): string {
  const known = opened(encryption, before);
  const users = [
    { id: principalId, atMs: now.getTime() },
    ...(known?.users ?? []).filter(({ id }) => id !== principalId),
  ];
  const id = known?.id ?? randomBytes(16).toString('base64url');
  return encryption.encrypt(purpose, JSON.stringify({ id, users: users.slice(0, usersMax) } satisfies KnownBrowser));
}

/**
 * Returns the key by which attempts of a known browser are counted.
 *
 * @param name in its canonical form.
 * @returns undefined unless the user signed in with this browser recently and with the current password.
 */
export async function knownBrowserOf(
  db: Transaction,
  encryption: Encryption,
  cookie: string | undefined,
  name: string | undefined,
  now: Date,
): Promise<string | undefined> {
  const known = opened(encryption, cookie);
  if (known === undefined || name === undefined) return undefined;
  const user = await db.principal.findFirst({
    where: { name, kind: 'user', id: { in: known.users.map(({ id }) => id) } },
    select: { id: true, password: { select: { changedAt: true } } },
  });
  const atMs = known.users.find(({ id }) => id === user?.id)?.atMs;
  const changedAtMs = user?.password?.changedAt.getTime();
  if (user === null || atMs === undefined || changedAtMs === undefined) return undefined;
  const isKnown = changedAtMs <= atMs && now.getTime() - atMs < knownDaysMax * dayMs;
  return isKnown ? `${known.id} ${user.id}` : undefined;
}

function opened(encryption: Encryption, cookie: string | undefined): KnownBrowser | undefined {
  const content = cookie === undefined ? undefined : encryption.decrypt(purpose, cookie);
  return content === undefined ? undefined : knownBrowser.parse(JSON.parse(content));
}
