import { Dialog } from '@base-ui/react/dialog';
import { CombinedError } from '@urql/core';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import type { FormEvent, ReactElement, ReactNode } from 'react';
import type { Reading } from '../api/reading.js';
import { createResource, messagesOf, updateResource } from '../editing/change-resource.js';
import type { Refusal } from '../editing/change-resource.js';
import { DifferenceTable } from '../editing/difference-table.js';
import { creationOf, updateBetween } from '../editing/document-text.js';
import { differencesBetween } from '../editing/patch.js';
import { readEditable } from '../editing/read-editable.js';
import type { ReadEditable } from '../editing/read-editable.js';
import { useViewer } from '../frame/viewer.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { FailureNotice } from '../look/notice.js';
import { showToast } from '../look/toasts.js';
import { offerUndo } from './offer-undo.js';
import { useChange } from './use-change.js';
import type { WhichChange } from './use-change.js';
import { yamlOf } from '../resources/spec-text.js';
import { alignedWith, documentOfRecord, secretsToAsk, withSecrets } from './versions.js';
import { EntryDialog } from '../look/entry-dialog.js';
import { Problems } from '../look/problems.js';
import { BusyButton } from '../look/busy-button.js';
import '../editing/edit-dialog.css';

interface RestoreProps {
  workspace: string;
  kind: Kind;
  name: string;
  onClose: () => void;
  onDone: () => void;
}

/** Saves a recorded version of a resource again. It shows what changes first. */
export default function RestoreDialog({
  which,
  isBefore = false,
  ...props
}: RestoreProps & {
  which: WhichChange;
  /** Whether the version before the change is restored, and not the one after it. */
  isBefore?: boolean;
}): ReactElement {
  const { change, again } = useChange(which);
  const title = isBefore ? `Roll back ${props.name}?` : `Restore this version of ${props.name}?`;
  const record =
    change === undefined || change instanceof CombinedError ? undefined : change?.[isBefore ? 'before' : 'after'];
  return (
    <Shell title={title} onClose={props.onClose}>
      {change === undefined ? (
        <p aria-busy="true">Loading…</p>
      ) : change instanceof CombinedError ? (
        <FailureNotice error={change} onRetry={again} />
      ) : record == null ? (
        <NotRecorded />
      ) : (
        <RestoreForm {...props} record={record} confirm={isBefore ? 'Roll back' : 'Restore version'} />
      )}
    </Shell>
  );
}

/** Creates a deleted resource again as it was. It asks for the secrets, because the change log does not have them. */
export function CreateAgainDialog({ record, ...props }: RestoreProps & { record: unknown }): ReactElement {
  const { workspace, kind, name, onClose, onDone } = props;
  const navigate = useNavigate();
  const [document] = useState(() => documentOfRecord(record));
  const [secrets, setSecrets] = useState<ReadonlyMap<string, string>>(new Map());
  const [refusal, setRefusal] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const asked = secretsToAsk(document);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const { metadata, ...rest } = creationOf(withSecrets(document, asked, secrets));
    const input = { ...rest, metadata: { name, ...(typeof metadata === 'object' ? metadata : {}) } };
    const refused = await createResource(kinds[kind].type, { workspace }, input);
    setBusy(false);
    setRefusal(refused);
    if (refused !== undefined) return;
    showToast(`${name} created again`);
    onDone();
    await navigate({ to: '/w/$workspace/$kind/$name', params: { workspace, kind, name } });
  };
  return (
    <Shell title={`Create ${name} again?`} onClose={onClose}>
      <form className="form" onSubmit={(event) => void submit(event)}>
        <p>
          The {kinds[kind].one} is created with its last configuration. {lost[kind]}
        </p>
        <details>
          <summary>Configuration</summary>
          <pre className="spec-text" tabIndex={0} aria-label="Configuration">
            {yamlOf(document)}
          </pre>
        </details>
        <SecretFields names={asked} values={secrets} onChange={setSecrets} />
        <Problems text={refusal && messagesOf(refusal).join('\n')} />
        <Buttons confirm={`Create ${kinds[kind].one}`} isBusy={isBusy} />
      </form>
    </Shell>
  );
}

/** What a deletion loses for good. */
const lost: Record<Kind, string> = {
  agents: '',
  sandboxes: 'Its previews are not created again.',
  jobs: 'Its executions stay deleted.',
  volumes: 'Its data stays deleted: the new volume is empty.',
  networks: 'Its egress gateways are not created again.',
};

function RestoreForm({
  workspace,
  kind,
  name,
  record,
  confirm,
  onDone,
}: Omit<RestoreProps, 'onClose'> & {
  record: unknown;
  confirm: string;
}): ReactElement {
  const viewer = useViewer();
  const [read, setRead] = useState<Reading<ReadEditable>>();
  const [secrets, setSecrets] = useState<ReadonlyMap<string, string>>(new Map());
  const [refusal, setRefusal] = useState<Refusal>();
  const [isBusy, setBusy] = useState(false);
  const load = useCallback(async () => setRead(await readEditable(kind, workspace, name)), [kind, workspace, name]);
  useEffect(() => void load(), [load]);
  if (read === undefined) return <p aria-busy="true">Loading…</p>;
  const { found: current, why } = read;
  if (current === undefined) return <p className="problem">{why}</p>;
  const recorded = alignedWith(current.document, documentOfRecord(record));
  const asked = secretsToAsk(recorded, current.document);
  const target = withSecrets(recorded, asked, secrets);
  const differences = differencesBetween(current.document, recorded);
  const which = { type: kinds[kind].type, scope: { workspace }, name };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const patch = updateBetween(current.document, target);
    const refused = await updateResource({ ...which, version: current.version }, patch);
    setBusy(false);
    setRefusal(refused);
    // The next attempt is for the version that the user has seen.
    if (refused?.conflict !== undefined) await load();
    if (refused !== undefined) return;
    onDone();
    await offerUndo(`${name} restored`, { workspace, id: current.id, which, actor: viewer.name });
  };
  return (
    <form className="form" onSubmit={(event) => void submit(event)}>
      {differences.length === 0 ? (
        <p>The {kinds[kind].one} already has this version’s configuration.</p>
      ) : (
        <>
          <p>These fields change. Other fields and stored secrets stay as they are.</p>
          <DifferenceTable differences={differences} />
        </>
      )}
      <SecretFields names={asked} values={secrets} onChange={setSecrets} />
      {refusal?.conflict === undefined ? (
        <Problems text={refusal && messagesOf(refusal).join('\n')} />
      ) : (
        <Problems
          text={`${refusal.conflict.updatedBy ?? 'The platform'} changed it in the meantime. Review the differences again.`}
        />
      )}
      <Buttons confirm={confirm} isBusy={isBusy || differences.length === 0} />
    </form>
  );
}

function NotRecorded(): ReactElement {
  return (
    <>
      <p>The change log no longer has the content of this version.</p>
      <div className="confirm-buttons">
        <Dialog.Close className="button">Close</Dialog.Close>
      </div>
    </>
  );
}

function Shell({
  title,
  children,
  onClose,
}: {
  title: string;
  children: ReactNode;
  onClose: () => void;
}): ReactElement {
  return (
    <EntryDialog isOpen onOpenChange={onClose} isWide>
      <Dialog.Title render={<h2 />}>{title}</Dialog.Title>
      {children}
    </EntryDialog>
  );
}

interface SecretFieldsProps {
  names: readonly string[];
  values: ReadonlyMap<string, string>;
  onChange: (values: ReadonlyMap<string, string>) => void;
}

function SecretFields({ names, values, onChange }: SecretFieldsProps): ReactElement | null {
  if (names.length === 0) return null;
  return (
    <fieldset className="secret-fields">
      <legend>Secrets</legend>
      <p className="hint">The change log has no secrets. A variable without a value is left out.</p>
      {names.map((name) => (
        <label key={name}>
          <span className="mono">{name}</span>
          <input
            className="field"
            type="password"
            autoComplete="off"
            value={values.get(name) ?? ''}
            onChange={({ target }) => onChange(new Map([...values, [name, target.value]]))}
          />
        </label>
      ))}
    </fieldset>
  );
}

function Buttons({ confirm, isBusy }: { confirm: string; isBusy: boolean }): ReactElement {
  return (
    <div className="confirm-buttons">
      <Dialog.Close className="button">Cancel</Dialog.Close>
      <BusyButton type="submit" className="button primary" isBusy={isBusy}>
        {confirm}
      </BusyButton>
    </div>
  );
}
