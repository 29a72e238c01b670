// Cursors are opaque, encrypted, authenticated and URL-safe. A cursor is bound to its query and valid for 24 hours
// (decision 10). Within an hour, the same row of the same query has the same cursor, because clients that cache lists,
// such as Relay, take a page with other cursors for another list. A cursor therefore has only the hour in which it was
// issued, and is valid for 24 hours after the end of that hour.
import { createHash } from 'node:crypto';
import { ApiError } from '../errors.js';
import type { Encryption } from '../encryption.js';
import type { Position } from './page.js';

export const cursorAgeHoursMax = 24;

const hourMs = 3_600_000;

/** Encrypts positions of one query as cursors, and decrypts them. */
export interface QueryCursors {
  encode: (position: Position) => string;
  /**
   * @param field the parameter or argument that has the cursor.
   * @throws 400 `cursor_invalid`, `cursor_expired` or `cursor_mismatch`.
   */
  decode: (field: string, cursor: string) => Position;
}

const purpose = 'cursor';

/** @param query everything that identifies the query: list, workspace, filters, order, version. */
export function queryCursors(
  encryption: Encryption,
  now: () => Date,
  query: Record<string, string | undefined>,
): QueryCursors {
  // Most pages neither have nor return a cursor, so the digest is computed on demand.
  let computed: string | undefined;
  const digest = () => (computed ??= digestOf(query));
  return {
    encode: ({ key, id }) =>
      encryption.encryptDeterministically(purpose, JSON.stringify([digest(), hourOf(now()), key, id])),
    decode: (field, cursor) => {
      const content = encryption.decrypt(purpose, cursor);
      if (content === undefined) throw refuse('cursor_invalid', field, 'must be a cursor that this service returned');
      const [boundTo, hour, key, id]: [string, number, string, string] = JSON.parse(content);
      if (hourOf(now()) - hour > cursorAgeHoursMax) throw cursorExpired(field);
      if (boundTo !== digest()) {
        throw refuse(
          'cursor_mismatch',
          field,
          'belongs to a different query. Keep the workspace, filters and order, or start from the first page',
        );
      }
      return { key, id };
    },
  };
}

/** The error for a cursor that is too old: 400 `cursor_expired`. */
export function cursorExpired(field: string): ApiError {
  return refuse('cursor_expired', field, `is older than ${cursorAgeHoursMax} hours. Start again from the first page`);
}

function hourOf(time: Date): number {
  return Math.floor(time.getTime() / hourMs);
}

function digestOf(query: Record<string, string | undefined>): string {
  const entries = Object.entries(query).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(entries)).digest('base64url').slice(0, 22);
}

function refuse(code: 'cursor_invalid' | 'cursor_expired' | 'cursor_mismatch', field: string, rule: string): ApiError {
  return new ApiError(code, `${field} ${rule}`, { field });
}
