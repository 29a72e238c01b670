import { useNavigate } from '@tanstack/react-router';
import { Suspense, lazy, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { lastUpdate } from '../activity/last-update.js';
import { offerUndo } from '../activity/offer-undo.js';
import { LazyRestoreDialog } from '../activity/restore-button.js';
import type { WhichResourceChange } from '../activity/use-change.js';
import { loadPart } from '../api/load-part.js';
import { useCanChange, ViewOnly } from '../frame/change-rights.js';
import { useViewActions } from '../frame/shortcuts.js';
import { useViewer } from '../frame/viewer.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { Confirm } from '../look/confirm.js';
import { formatCount } from '../look/money.js';
import { RowMenu } from '../look/row-menu.js';
import { showToast } from '../look/toasts.js';
import { ViewLogs } from '../look/view-logs.js';
import { RunJob } from '../jobs/run-job.js';
import type { AnyResource } from '../resources/resource-queries.js';
import { deleteResource, updateResource } from './change-resource.js';
import { LazyCreateDialog } from './create-button.js';
import { protectedReason } from './protected.js';
import { documentOf } from './document-of.js';
import { duplicateOf } from './duplicate.js';
import { readEditable } from './read-editable.js';
import { Problems } from '../look/problems.js';
import './edit-dialog.css';

/** Loaded on demand, because it contains a YAML parser. */
const EditDialog = lazy(() => loadPart(() => import('./edit-dialog.js')));

interface ResourceActionsProps {
  resource: AnyResource;
  kind: Kind;
  workspace: string;
  /** Whether the dialog to edit it is open. */
  isEditing: boolean;
  onEdit: (isEditing: boolean) => void;
  onChange: () => void;
  /** Set for a preview beside a list. */
  onDelete: (() => void) | undefined;
}

/** The actions of a resource: the main one in colour, the rare and the destructive ones in a menu. */
export function ResourceActions(props: ResourceActionsProps): ReactElement {
  const { resource, kind, workspace, isEditing, onEdit, onChange, onDelete } = props;
  const navigate = useNavigate();
  const viewer = useViewer();
  const canChange = useCanChange(workspace);
  const [wanted, setWanted] = useState<boolean>();
  const [rolledBack, setRolledBack] = useState<WhichResourceChange>();
  const [isDuplicating, setDuplicating] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { one, type } = kinds[kind];
  const { id, version } = resource;
  const { name } = resource.metadata;
  const which = { type, scope: { workspace }, name };
  const rollBack = useRef(() => {});
  useViewActions(
    useMemo(
      () =>
        !canChange
          ? []
          : [
              { title: `Edit ${name}`, group: 'Resource', keys: ['e'], run: () => onEdit(true) },
              { title: `Duplicate ${name}`, group: 'Resource', keys: [], run: () => setDuplicating(true) },
              { title: `Roll back ${name}`, group: 'Resource', keys: [], run: () => rollBack.current() },
            ],
      [name, onEdit, canChange],
    ),
  );

  const stored = 'enabled' in resource.spec ? resource.spec.enabled : undefined;
  const isEnabled = wanted ?? stored;
  // The button shows what was asked for until the changed resource is read.
  useEffect(() => setWanted(undefined), [version]);
  const tellDone = async (title: string) => offerUndo(title, { workspace, id, which, actor: viewer.name });
  const setEnabled = async (enabled: boolean) => {
    setWanted(enabled);
    const refused = await updateResource({ ...which, version }, { spec: { enabled } });
    setProblem(refused?.message);
    onChange();
    if (refused === undefined) await tellDone(`${name} ${enabled ? 'enabled' : 'disabled'}`);
    else setWanted(undefined);
  };
  const openRollBack = async () => {
    const change = await lastUpdate(workspace, id);
    setProblem(change === undefined ? 'The change log has no update to roll back.' : undefined);
    setRolledBack(change);
  };
  useEffect(() => {
    rollBack.current = () => void openRollBack();
  });
  const isProtected = resource.metadata.protected === true;
  const setProtected = async (next: boolean) => {
    const refused = await updateResource({ ...which, version }, { metadata: { protected: next ? true : null } });
    setProblem(refused?.message);
    onChange();
    if (refused === undefined) await tellDone(`${name} ${next ? 'protected from deletion' : 'is no longer protected'}`);
  };
  const remove = async () => {
    const refused = await deleteResource({ ...which, version });
    if (refused !== undefined) {
      onChange();
      return refused.conflict === undefined
        ? refused.message
        : 'The resource was changed in the meantime. Review it before you delete it.';
    }
    showToast(`${name} deleted`);
    if (onDelete === undefined) await navigate({ to: '/w/$workspace/$kind', params: { workspace, kind } });
    else onDelete();
    return undefined;
  };

  if (!canChange) {
    return (
      <div className="resource-buttons">
        {'logsUrl' in resource && <ViewLogs url={resource.logsUrl} />}
        <ViewOnly />
      </div>
    );
  }
  return (
    <div className="resource-buttons">
      {'logsUrl' in resource && <ViewLogs url={resource.logsUrl} />}
      {kind === 'jobs' && <RunJob workspace={workspace} job={name} isEnabled={isEnabled !== false} />}
      <button
        type="button"
        className={kind === 'jobs' || onDelete !== undefined ? 'button' : 'button primary'}
        title="Edit (e)"
        onClick={() => onEdit(true)}
      >
        Edit
      </button>
      {isEnabled !== undefined && (
        <button
          type="button"
          className="button"
          disabled={wanted !== undefined}
          onClick={() => void setEnabled(!isEnabled)}
        >
          {isEnabled ? 'Disable' : 'Enable'}
        </button>
      )}
      <RowMenu
        label="More actions"
        actions={[
          { label: 'Duplicate…', run: () => setDuplicating(true) },
          { label: 'Roll back last change…', run: () => void openRollBack() },
          {
            label: isProtected ? 'Remove deletion protection' : 'Protect from deletion',
            run: () => void setProtected(!isProtected),
          },
          {
            label: `Delete ${one}…`,
            isDestructive: true,
            disabledReason: isProtected ? protectedReason(name) : undefined,
            dialog: (control) => (
              <Confirm control={control} title={`Delete ${name}?`} confirm={`Delete ${one}`} keep="Cancel" run={remove}>
                {consequencesOf(resource, kind)} Its last configuration stays in the activity for the retention period.
                Past costs stay on the bill.
              </Confirm>
            ),
          },
        ]}
      />
      <Problems text={problem} />
      {rolledBack !== undefined && (
        <LazyRestoreDialog
          which={rolledBack}
          isBefore
          kind={kind}
          name={name}
          onClose={() => setRolledBack(undefined)}
          onDone={() => {
            setRolledBack(undefined);
            onChange();
          }}
        />
      )}
      {isDuplicating && (
        <LazyCreateDialog
          type={kinds[kind].type}
          scope={{ workspace }}
          original={duplicateOf(documentOf(resource))}
          onClose={() => setDuplicating(false)}
          onCreated={(created) => {
            setDuplicating(false);
            void navigate({ to: '/w/$workspace/$kind/$name', params: { workspace, kind, name: created } });
          }}
        />
      )}
      {isEditing && (
        <Suspense>
          <EditDialog
            which={which}
            resource={{ version, document: documentOf(resource) }}
            reload={async () => readEditable(kind, workspace, name)}
            onClose={() => onEdit(false)}
            onSaved={() => {
              onEdit(false);
              onChange();
              void tellDone(`${name} updated`);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The consequences of deleting a resource, with counts. */
function consequencesOf(resource: AnyResource, kind: Kind): string {
  if ('executions' in resource) {
    const count = resource.executions?.totalCount ?? 0;
    return count === 0
      ? 'It has no executions.'
      : `${countOf(count, 'execution')} and their tasks are deleted as well.`;
  }
  if ('previews' in resource) {
    const count = resource.previews?.totalCount ?? 0;
    const previews = count === 0 ? '' : `${countOf(count, 'preview')} and their URLs are deleted as well. `;
    return `${previews}Attached volumes are kept.`;
  }
  if ('egressGateways' in resource) {
    const count = resource.egressGateways.totalCount;
    return count === 0 ? 'It has no egress gateways.' : `Delete its ${countOf(count, 'egress gateway')} first.`;
  }
  if (kind === 'volumes') return 'Its data is deleted as well. The volume must not be attached.';
  const triggers = 'triggers' in resource.spec ? (resource.spec.triggers?.length ?? 0) : 0;
  const stopped = triggers === 0 ? '' : ` and its ${countOf(triggers, 'trigger')} stop`;
  return `It stops serving requests${stopped}. Attached volumes are kept.`;
}

function countOf(count: number, one: string): string {
  return `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
}
