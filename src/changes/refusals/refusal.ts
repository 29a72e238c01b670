// Refusals in the history: who tried what they may not do. Anybody can be refused as often as they like, so what is alike
// is counted, and told twice at most for each hour of it: the first time at once, and the rest together. Reads of secrets are
// counted and recorded in the same way: a program can read a secret as often as it likes, too.
import { createHash } from 'node:crypto';
import type { Door } from '../../auth/door.js';
import type { ChangeKind, ChangeVerb } from '../change-words.js';

export interface Refusal {
  verb: Extract<ChangeVerb, 'refused' | 'read'>;
  kind: Extract<ChangeKind, 'SIGN_IN' | 'ACCESS'>;
  /** Whose history tells of it. Of a user it is that of each account that they belong to; what is unknown has none. */
  of: { by: 'account' | 'user' | 'client' | 'authorization'; value: string };
  /**
   * The operation or endpoint that was called, the user who signed in, or the workspace and resource whose secret was read.
   * Never a text that a caller can choose freely.
   */
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
export const secretReadsMax = 1_000;

/** The message of the reads that are recorded together. */
export const otherReadsMessage = 'More secrets were read than are recorded one by one.';

/** What tells one from another: who, by what, tried what. Not from where, nor why: both are told of the newest. */
export function refusalKey({ verb, kind, name, actorId = '', client = '', door }: Omit<Refusal, 'of'>): string {
  return keyOf([verb, kind, name, actorId, client, door]);
}

/** The keys of those that are too many to be told apart. */
export const otherRefusalsKey = keyOf(['other refusals']);
export const otherReadsKey = keyOf(['other reads']);

function keyOf(parts: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return [0, 8, 12, 16, 20].map((start, index, starts) => digest.slice(start, starts[index + 1] ?? 32)).join('-');
}
