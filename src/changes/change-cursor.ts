// Cursors of an account's change log. A cursor is bound only to the account: it is valid with any filter, in any
// workspace and any API.
import { ApiError } from '../errors.js';
import type { QueryCursors } from '../pagination/cursor.js';
import type { Encryption } from '../encryption.js';
import type { HistoryStart } from './change-page.js';

const purpose = 'change cursor';

export interface ChangeCursors extends QueryCursors {
  /** The cursor after the change with this number. */
  after: (sequence: number) => string;
  /**
   * @param field the argument that holds the cursor.
   * @returns the number of the change after which the cursor is.
   * @throws 400 `cursor_invalid`, `cursor_mismatch`.
   */
  sequenceOf: (field: string, cursor: string) => number;
}

export function changeCursors(encryption: Encryption, accountId: string): ChangeCursors {
  const after = (sequence: number) =>
    encryption.encryptDeterministically(purpose, JSON.stringify([accountId, sequence]));
  const sequenceOf = (field: string, cursor: string): number => {
    const content = encryption.decrypt(purpose, cursor);
    if (content === undefined) {
      throw new ApiError('cursor_invalid', `${field} must be a cursor of the change log`, { field });
    }
    const [account, sequence]: [string, number] = JSON.parse(content);
    if (account !== accountId) throw new ApiError('cursor_mismatch', `${field} belongs to another account`, { field });
    return sequence;
  };
  return {
    after,
    sequenceOf,
    encode: ({ key }) => after(Number(key)),
    decode: (field, cursor) => ({ key: String(sequenceOf(field, cursor)), id: accountId }),
  };
}

/** The error for a cursor before the retained changes, or after a change that a restore lost: 400 `cursor_expired`. */
export function historyGone(cursors: ChangeCursors, field: string, { removed, isLost }: HistoryStart): ApiError {
  const reason = isLost
    ? `${field} is after a change that was lost when the database was restored`
    : `${field} is older than the retained change log`;
  return new ApiError('cursor_expired', `${reason}. List the resources again, and continue from resumeFrom`, {
    field,
    resumeFrom: cursors.after(removed),
  });
}
