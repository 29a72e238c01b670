// Denied requests in the change log. Anyone can cause any number of them, so equal ones are counted and recorded at
// most twice an hour: the first at once, the rest together. Reads of secrets are recorded in the same way, because a
// program can read a secret any number of times.
import { createHash } from 'node:crypto';
import type { Api } from '../../auth/api.js';
import type { ChangeKind, ChangeAction } from '../change-subjects.js';

export interface DeniedRequest {
  verb: Extract<ChangeAction, 'denied' | 'read'>;
  kind: Extract<ChangeKind, 'SIGN_IN' | 'ACCESS'>;
  /**
   * The account whose change log records it. A user's are recorded in each of their accounts; those of an unknown
   * caller in none.
   */
  of: { by: 'account' | 'user' | 'client' | 'authorization'; value: string };
  /**
   * The operation or endpoint that was called, the user who signed in, or the workspace and resource whose secret was
   * read. Never a text that a caller can choose freely.
   */
  name: string;
  /** The principal whose request was denied; absent for an unauthenticated caller. */
  actorId?: string | undefined;
  /** The client of the credential. */
  client?: string | undefined;
  /** The reason, for people. Never a secret. */
  message: string;
  address: string;
  requestId: string;
  api: Api;
}

/** The period in which equal entries are counted together (milliseconds). */
export const deniedRequestWindowMs = 60 * 60_000;

/** How many distinct entries of an account are recorded in that period; all others share one entry. */
export const deniedRequestsMax = 100;
export const secretReadsMax = 1_000;

/** The message of the entry that the reads above the limit share. */
export const otherReadsMessage = 'More secrets were read than are recorded one by one.';

/**
 * Identifies equal entries by principal, client, operation and API. The address and the message are those of the newest
 * one.
 */
export function deniedRequestIdentity({
  verb,
  kind,
  name,
  actorId = '',
  client = '',
  api,
}: Omit<DeniedRequest, 'of'>): string {
  return JSON.stringify([verb, kind, name, actorId, client, api]);
}

/** The identity of an entry as it is stored. */
export function deniedRequestKey(denied: Omit<DeniedRequest, 'of'>): string {
  return keyOf(deniedRequestIdentity(denied));
}

/** The keys of the shared entries above the limit. */
export const otherDeniedRequestsKey = keyOf(JSON.stringify(['other refusals']));
export const otherReadsKey = keyOf(JSON.stringify(['other reads']));

function keyOf(identity: string): string {
  const digest = createHash('sha256').update(identity).digest('hex');
  return [0, 8, 12, 16, 20].map((start, index, starts) => digest.slice(start, starts[index + 1] ?? 32)).join('-');
}
