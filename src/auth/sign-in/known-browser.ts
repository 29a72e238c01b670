// Browsers in which somebody has signed in before. Whoever guesses a user's password from elsewhere uses up the attempts that
// others have, and not those of the browsers that the user comes back with.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Transaction } from '../../database/open.js';
import type { Seal } from '../../encryption.js';

const purpose = 'known browser';

/** How long a browser is known after somebody signed in, and how many users one is known to. */
export const knownDaysMax = 90;
const usersMax = 5;

const dayMs = 24 * 60 * 60_000;

const knownBrowser = z.object({
  /** Tells it from others; it says nothing of its user. */
  id: z.string(),
  /** Who signed in here and when, the newest first. */
  users: z.array(z.object({ id: z.string(), atMs: z.number() })),
});

type KnownBrowser = z.output<typeof knownBrowser>;

/** What a browser keeps once a user has signed in there: nobody but this service can make or read it. */
export function sealKnownBrowser(seal: Seal, before: string | undefined, principalId: string, now: Date): string {
  const known = opened(seal, before);
  const users = [
    { id: principalId, atMs: now.getTime() },
    ...(known?.users ?? []).filter(({ id }) => id !== principalId),
  ];
  const id = known?.id ?? randomBytes(16).toString('base64url');
  return seal.seal(purpose, JSON.stringify({ id, users: users.slice(0, usersMax) } satisfies KnownBrowser));
}

/**
 * What attempts of a known browser are counted by.
 *
 * @param name in its canonical form.
 * @returns undefined for a browser that this user has not signed in with since their password is what it is, or not for long.
 */
export async function knownBrowserOf(
  db: Transaction,
  seal: Seal,
  kept: string | undefined,
  name: string | undefined,
  now: Date,
): Promise<string | undefined> {
  const known = opened(seal, kept);
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

function opened(seal: Seal, kept: string | undefined): KnownBrowser | undefined {
  const content = kept === undefined ? undefined : seal.open(purpose, kept);
  return content === undefined ? undefined : knownBrowser.parse(JSON.parse(content));
}
