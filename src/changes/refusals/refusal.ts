// Refusals in the history: who tried what they may not do. Anybody can be refused as often as they like, so what is alike
// is counted, and told twice at most for each hour of it: the first time at once, and the rest together.
import { createHash } from 'node:crypto';
import type { Door } from '../../auth/door.js';
import type { ChangeKind } from '../change-words.js';

export interface Refusal {
  kind: Extract<ChangeKind, 'SIGN_IN' | 'ACCESS'>;
  /** Whose history tells of it. Of a user it is that of each account that they belong to; what is unknown has none. */
  of: { by: 'account' | 'user' | 'client' | 'authorization'; value: string };
  /** What was tried: an operation, an endpoint, or of a sign-in the name of the user. Never what somebody made up. */
  name: string;
  /** Who may not; absent for whoever did not prove who they are. */
  actorId?: string | undefined;
  /** Through which credential. */
  client?: string | undefined;
  /** Why, for people. Never a secret. */
  message: string;
  address: string;
  requestId: string;
  door: Door;
}

/** How long what is alike is summed up. */
export const refusalWindowMs = 60 * 60_000;

/** So many that differ are told of an account in that time; the others together. */
export const refusalsMax = 100;

/** What tells one from another: who, by what, tried what. Not from where, nor why: both are told of the newest. */
export function refusalKey({ kind, name, actorId = '', client = '', door }: Omit<Refusal, 'of'>): string {
  return keyOf([kind, name, actorId, client, door]);
}

/** The key of those that are too many to be told apart. */
export const othersKey = keyOf(['others']);

function keyOf(parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return [0, 8, 12, 16, 20].map((start, index, starts) => digest.slice(start, starts[index + 1] ?? 32)).join('-');
}
