import { Dialog } from '@base-ui/react/dialog';
import { useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { Reading } from '../api/reading.js';
import type { Refusal } from '../editing/change-resource.js';
import { ConflictNotice } from '../editing/conflict-notice.js';
import { fieldsOf, sidesOf } from '../editing/patch.js';
import { ruleOf } from '../editing/rule-text.js';
import { useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { changesOf, draftOf, emptyDraft, rebasedDraft } from './webhook-draft.js';
import type { FilterInput, WebhookDraft } from './webhook-draft.js';
import { WebhookForm } from './webhook-form.js';
import type { Webhook } from './webhook-queries.js';
import { sendsText } from './webhook-texts.js';
import { EntryDialog } from '../look/entry-dialog.js';
import { Problems } from '../look/problems.js';
import { BusyButton } from '../look/busy-button.js';
import '../editing/edit-dialog.css';

interface WebhookDialogProps {
  title: string;
  /** The label of the save button. */
  save: string;
  account: ViewerAccount;
  /** Undefined for a new webhook. */
  webhook: Webhook | undefined;
  /** The first filter of a new webhook. */
  filter?: FilterInput;
  /** @returns the error, or undefined on success. */
  onSave: (draft: WebhookDraft, base: Webhook | undefined) => Promise<Refusal | undefined>;
  /** Reloads the webhook after a conflict. */
  reload?: () => Promise<Reading<Webhook>>;
  onClose: () => void;
}

/** The dialog to create or edit a webhook. */
export default function WebhookDialog(props: WebhookDialogProps): ReactElement {
  const { title, save, account, webhook, filter = {}, onSave, reload, onClose } = props;
  const { workspaces } = useViewer();
  const own = workspaces.filter((each) => each.account.id === account.id);
  const isAccountAdmin = account.viewerRole === 'ADMIN';
  const scopes = [
    ...(isAccountAdmin ? [{ value: '', label: 'Whole account' }] : []),
    ...own
      .filter(({ viewerRole }) => isAccountAdmin || viewerRole === 'ADMIN')
      .map(({ name }) => ({ value: name, label: name })),
  ];
  const [base, setBase] = useState(webhook);
  const first =
    base === undefined ? { ...emptyDraft, filter, workspace: scopes[0]?.value || undefined } : draftOf(base);
  const [draft, setDraft] = useState(first);
  const [refusal, setRefusal] = useState<Refusal>();
  /** The other user's version, after a conflict. */
  const [theirs, setTheirs] = useState<Webhook>();
  /** Why the webhook could not be read again. */
  const [lost, setLost] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const popup = useRef<HTMLDivElement>(null);
  // The scope is chosen only once, so it is not among the changes that are sent.
  const isChanged = draft.workspace !== first.workspace || Object.keys(changesOf(first, draft)).length > 0;
  const problems = new Map(refusal?.problems.map(({ path, message }) => [path, ruleOf(path, message)]));
  const isShown = (path: string) =>
    ['name', 'url', 'workspace', 'filter.names', 'filter.actors'].some(
      (field) => path === field || path.startsWith(`${field}.`),
    );
  const elsewhere = refusal?.problems.filter(({ path }) => !isShown(path)).map(({ message }) => message) ?? [];
  const send = async () => {
    setBusy(true);
    const refused = await onSave(draft, base);
    setTheirs(refused?.conflict === undefined ? undefined : (await reload?.())?.found);
    setBusy(false);
    setRefusal(refused);
    if (refused !== undefined) {
      requestAnimationFrame(() => popup.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
    }
  };
  const takeTheirs = async (keepsMine: boolean) => {
    if (reload === undefined) return;
    const { found, why } = await reload();
    if (found === undefined) return setLost(why);
    setBase(found);
    // With what was typed meanwhile.
    setDraft((mine) => (keepsMine ? rebasedDraft(first, mine, draftOf(found)) : draftOf(found)));
    setLost(undefined);
    setRefusal(undefined);
  };
  return (
    <EntryDialog isOpen onOpenChange={onClose} hasEntries={isChanged} isWide popup={popup} focusFirst=".field">
      <Dialog.Title render={<h2 />}>{title}</Dialog.Title>
      <WebhookForm
        draft={draft}
        onChange={setDraft}
        scopes={base === undefined ? scopes : undefined}
        workspaces={own.map(({ name }) => name)}
        problems={problems}
      />
      <p className="hint quiet" role="status">
        Sends: {sendsText({ ...noFilter, ...draft.filter })}
        {draft.workspace === undefined ? '.' : `, in ${draft.workspace}.`}
      </p>
      {refusal?.conflict !== undefined && (
        <ConflictNotice
          conflict={refusal.conflict}
          sides={theirs && sidesOf(fieldsOf(first), fieldsOf(draftOf(theirs)), fieldsOf(draft))}
          isBusy={isBusy}
          onTake={(keepsMine) => void takeTheirs(keepsMine)}
        />
      )}
      <Problems text={lost} />
      {refusal !== undefined && refusal.conflict === undefined && (elsewhere.length > 0 || problems.size === 0) && (
        <Problems text={elsewhere.length > 0 ? elsewhere.join('\n') : refusal.message} />
      )}
      <div className="confirm-buttons">
        <Dialog.Close className="button">Cancel</Dialog.Close>
        <BusyButton
          className="button primary"
          isBusy={isBusy}
          disabled={!isChanged || refusal?.conflict !== undefined}
          onClick={() => void send()}
        >
          {save}
        </BusyButton>
      </div>
    </EntryDialog>
  );
}

const noFilter = {
  kinds: null,
  actions: null,
  names: null,
  actors: null,
  clients: null,
  addresses: null,
  workspaces: null,
  resource: null,
};
