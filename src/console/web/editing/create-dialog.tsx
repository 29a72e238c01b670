import { Dialog } from '@base-ui/react/dialog';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { changeables } from './changeables.js';
import type { Changeable } from './changeables.js';
import { createResource } from './change-resource.js';
import type { Place } from './change-resource.js';
import { missingSecretsIn } from './duplicate.js';
import { DocumentEditor, ViewSwitch } from './document-editor.js';
import { creationOf } from './document-text.js';
import type { Fields } from './patch.js';
import { shapesOf } from './shapes.js';
import { useDraft } from './use-draft.js';
import { awayText, useTrial } from './use-trial.js';
import { EntryDialog } from '../look/entry-dialog.js';
import { Problems } from '../look/problems.js';
import { BusyButton } from '../look/busy-button.js';
import './edit-dialog.css';

interface CreateDialogProps {
  type: Changeable;
  scope: Place;
  onClose: () => void;
  /** Called with the name of the created resource. */
  onCreated: (name: string) => void;
  /** The resource to duplicate, if any. */
  original?: Fields;
}

const nothingStored: Fields = {};

/** The dialog to create a resource. The form follows the schema, and the service validates each field. */
export default function CreateDialog(props: CreateDialogProps): ReactElement {
  const { type, scope, onClose, onCreated, original } = props;
  const input = `Create${type}Input`;
  const [first] = useState(original ?? { metadata: { name: '' }, ...(hasSpec(input) ? { spec: {} } : {}) });
  const draft = useDraft(type, first);
  const popup = useRef<HTMLDivElement>(null);
  const { document } = draft;
  // As it is read from the text, which may have parts that the type has not.
  const [documentAtFirst] = useState(document);
  const hasEntries = JSON.stringify(document) !== JSON.stringify(documentAtFirst);
  const trial = useTrial(draft.text, document !== undefined, async (options) =>
    createResource(type, scope, creationOf(document ?? {}, hasSpec(input)), options),
  );
  const missing = original === undefined || document === undefined ? [] : missingSecretsIn(document);
  const [isTried, setTried] = useState(false);
  const create = async () => {
    setTried(true);
    if (missing.length === 0 && (await trial.ask(false))) onCreated(nameIn(document ?? {}));
    else requestAnimationFrame(() => popup.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const one = changeables[type];
  return (
    <EntryDialog
      isOpen
      onOpenChange={onClose}
      hasEntries={hasEntries}
      isWide
      popup={popup}
      focusFirst=".shape-form .field, textarea"
    >
      <header>
        <Dialog.Title render={<h2 />}>
          {original === undefined ? 'Create' : 'Duplicate'} {one}
        </Dialog.Title>
        <ViewSwitch draft={draft} />
      </header>
      <DocumentEditor
        draft={draft}
        base={nothingStored}
        type={type}
        workspace={scope['workspace']}
        label={`New ${one}`}
        input={input}
        hint={
          original === undefined
            ? scopeText(scope)
            : `${scopeText(scope)} Enter the secrets again: they are not copied.`
        }
        problems={isTried ? [...missing, ...trial.problems] : trial.problems}
        onLeave={trial.leave}
        onPause={() => void trial.ask(true)}
      />
      {trial.refusal?.problems.length === 0 && <Problems text={trial.refusal.message} />}
      <div className="confirm-buttons">
        <span className="quiet" role="status">
          {trial.isAway ? awayText : trial.isAccepted ? 'No problems found.' : ''}
        </span>
        <Dialog.Close className="button">Cancel</Dialog.Close>
        <BusyButton
          className="button"
          isBusy={trial.isBusy}
          disabled={document === undefined}
          onClick={() => void trial.ask(true)}
        >
          Validate
        </BusyButton>
        <BusyButton
          className="button primary"
          isBusy={trial.isSaving}
          disabled={document === undefined}
          onClick={() => void create()}
        >
          Create {one}
        </BusyButton>
      </div>
    </EntryDialog>
  );
}

/** Some types have only a name. */
function hasSpec(input: string): boolean {
  return shapesOf(input).some(({ name }) => name === 'spec');
}

function nameIn({ metadata }: { metadata?: unknown }): string {
  return isNamed(metadata) ? String(metadata.name) : '';
}

function isNamed(value: unknown): value is { name: unknown } {
  return typeof value === 'object' && value !== null && 'name' in value;
}

/** The hint about the scope of the new resource. */
function scopeText({ workspace, ...owners }: Place): string {
  const within = Object.values(owners);
  if (workspace === undefined) return 'Only a name is required.';
  return `Created in ${[workspace, ...within].join(', ')}.`;
}
