import { Dialog } from '@base-ui/react/dialog';
import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { Reading } from '../api/reading.js';
import { changeables } from './changeables.js';
import { updateResource } from './change-resource.js';
import type { Which } from './change-resource.js';
import { ConflictNotice } from './conflict-notice.js';
import { DifferenceTable } from './difference-table.js';
import { DocumentEditor, ViewSwitch } from './document-editor.js';
import { withBuiltImage } from './document-path.js';
import { updateBetween } from './document-text.js';
import { differencesBetween, patchBetween, sidesOf, withPatch } from './patch.js';
import type { Fields } from './patch.js';
import { useDraft } from './use-draft.js';
import { awayText, useTrial } from './use-trial.js';
import { EntryDialog } from '../look/entry-dialog.js';
import { Problems } from '../look/problems.js';
import { BusyButton } from '../look/busy-button.js';
import './edit-dialog.css';

/** The editable part of a resource, with its version. */
export interface Editable {
  version: number;
  document: Fields;
}

interface EditDialogProps {
  which: Omit<Which, 'version'>;
  resource: Editable;
  /** Reads the resource again. */
  reload: () => Promise<Reading<Editable>>;
  onClose: () => void;
  onSaved: () => void;
}

/** The dialog to edit a resource as a form or text. The service validates the changes, which are shown before saving. */
export default function EditDialog({ which, resource, reload, onClose, onSaved }: EditDialogProps): ReactElement {
  const [base, setBase] = useState(resource);
  const draft = useDraft(which.type, base.document);
  /** Why the resource could not be read again. */
  const [lost, setLost] = useState<string>();
  const popup = useRef<HTMLDivElement>(null);
  const document = draft.view === 'form' ? draft.document : withBuiltImage(base.document, draft.document);
  const differences = document === undefined ? [] : differencesBetween(base.document, document);
  const trial = useTrial(`${base.version} ${draft.text}`, differences.length > 0, async (options) =>
    updateResource({ ...which, version: base.version }, updateBetween(base.document, document ?? {}), options),
  );
  const save = async () => {
    if (await trial.ask(false)) onSaved();
  };
  const latest = useRef(document);
  useEffect(() => {
    latest.current = document;
  });
  const takeTheirs = async (keepsMine: boolean) => {
    const { found: theirs, why } = await reload();
    setLost(why);
    if (theirs === undefined) return;
    // With what was typed meanwhile.
    const mine = latest.current === undefined ? {} : patchBetween(base.document, latest.current);
    setBase(theirs);
    draft.setDocument(keepsMine ? withPatch(theirs.document, mine) : theirs.document);
  };
  const isConflict = trial.refusal?.conflict !== undefined;
  const [theirs, setTheirs] = useState<Editable>();
  const read = useRef(reload);
  useEffect(() => {
    read.current = reload;
  });
  useEffect(() => {
    if (isConflict) void read.current().then(({ found }) => setTheirs(found));
  }, [isConflict]);
  const label = `${changeables[which.type]} ${which.name}`;

  return (
    <EntryDialog
      isOpen
      onOpenChange={onClose}
      hasEntries={differences.length > 0 || document === undefined}
      isWide
      popup={popup}
      focusFirst=".shape-form .field, textarea"
    >
      <header>
        <Dialog.Title render={<h2 />}>
          Edit {changeables[which.type]} <span className="mono">{which.name}</span>
        </Dialog.Title>
        <ViewSwitch draft={draft} />
      </header>
      <DocumentEditor
        draft={draft}
        base={base.document}
        type={which.type}
        workspace={which.scope['workspace']}
        label={label}
        input={`Update${which.type}Input`}
        hint="Omitted fields are removed, except spec.runtime.image. *** keeps a secret unchanged."
        problems={trial.problems}
        onLeave={trial.leave}
        onPause={() => void (differences.length > 0 && trial.ask(true))}
      />
      {trial.refusal?.conflict !== undefined && (
        <ConflictNotice
          conflict={trial.refusal.conflict}
          sides={theirs === undefined ? undefined : sidesOf(base.document, theirs.document, document ?? {})}
          isBusy={trial.isBusy}
          onTake={(keepsMine) => void takeTheirs(keepsMine)}
        />
      )}
      <Problems text={lost} />
      {!isConflict && trial.refusal?.problems.length === 0 && <Problems text={trial.refusal.message} />}
      {(!isConflict || theirs === undefined) && <DifferenceTable differences={differences} />}
      <div className="confirm-buttons">
        <span className="quiet" role="status">
          {trial.isAway ? awayText : trial.isAccepted ? 'No problems found.' : ''}
        </span>
        <Dialog.Close className="button">Cancel</Dialog.Close>
        <BusyButton
          className="button"
          isBusy={trial.isBusy}
          disabled={differences.length === 0}
          onClick={() => void trial.ask(true)}
        >
          Validate
        </BusyButton>
        <BusyButton
          className="button primary"
          isBusy={trial.isSaving}
          disabled={differences.length === 0 || isConflict}
          onClick={() => void save()}
        >
          Save {differences.length === 1 ? '1 change' : `${differences.length} changes`}
        </BusyButton>
      </div>
    </EntryDialog>
  );
}
