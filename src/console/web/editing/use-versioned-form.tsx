import { useState } from 'react';
import type { ReactElement } from 'react';
import type { TypedDocumentNode } from '@urql/core';
import { client } from '../api/client.js';
import { messagesOf, refusalIn } from './change-resource.js';
import type { Answer, Conflict } from './change-resource.js';
import { ConflictNotice } from './conflict-notice.js';
import { fieldsOf, rebased, sidesOf } from './patch.js';
import type { Fields } from './patch.js';

interface VersionedFormOptions<Stored, Draft> {
  /** The object as it was when the form was opened. */
  stored: Stored;
  draftOf: (stored: Stored) => Draft;
  /** Reads the object again after a conflict; undefined if it was deleted or the service did not respond. */
  readAgain: () => Promise<Stored | undefined>;
  /** The fields of a draft, as a conflict shows them. Default: all, by their own names. */
  shownFields?: (draft: Draft) => Fields;
}

interface VersionedForm<Stored, Draft> {
  /** The version of the object that the entries are changes of. */
  base: Stored;
  draft: Draft;
  setDraft: (draft: Draft) => void;
  /** Runs the mutation that saves the form. Shows a conflict. @returns the message of another error. */
  save: <Variables extends object>(
    document: TypedDocumentNode<Answer, Variables>,
    variables: Variables,
    onSaved: () => void,
  ) => Promise<string | undefined>;
  /** The conflict with the changes of another user, if there is one. */
  conflict: ReactElement | undefined;
}

/** A form that changes the version of an object that it was opened with. A later version is a conflict, which it resolves. */
export function useVersionedForm<Stored, Draft extends object>(
  options: VersionedFormOptions<Stored, Draft>,
): VersionedForm<Stored, Draft> {
  const { draftOf, readAgain, shownFields = fieldsOf } = options;
  const [base, setBase] = useState(options.stored);
  const first = draftOf(base);
  const [draft, setDraft] = useState(first);
  const [found, setFound] = useState<{ conflict: Conflict; theirs: Stored }>();
  const save: VersionedForm<Stored, Draft>['save'] = async (document, variables, onSaved) => {
    const { data, error } = await client.mutation(document, variables).toPromise();
    const refusal = refusalIn(data?.result, error);
    if (refusal === undefined) onSaved();
    const theirs = refusal?.conflict && (await readAgain());
    setFound(refusal?.conflict && theirs && { conflict: refusal.conflict, theirs });
    return theirs === undefined ? refusal && messagesOf(refusal).join('\n') : undefined;
  };
  const take = (theirs: Stored, keepsMine: boolean) => {
    setBase(theirs);
    setDraft(keepsMine ? rebased(first, draft, draftOf(theirs)) : draftOf(theirs));
    setFound(undefined);
  };
  return {
    base,
    draft,
    setDraft,
    save,
    conflict: found && (
      <ConflictNotice
        conflict={found.conflict}
        sides={sidesOf(shownFields(first), shownFields(draftOf(found.theirs)), shownFields(draft))}
        isBusy={false}
        onTake={(keepsMine) => take(found.theirs, keepsMine)}
      />
    ),
  };
}
