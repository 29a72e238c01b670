import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useViewActions } from '../frame/shortcuts.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { formatCount } from '../look/money.js';
import { Confirm } from '../look/confirm.js';
import { RunJob } from '../jobs/run-job.js';
import type { AnyResource } from '../resources/resource-queries.js';
import { resourceQueries } from '../resources/resource-queries.js';
import { client } from '../api/client.js';
import { loadPart } from '../api/load-part.js';
import { deleteResource, updateResource } from './change-resource.js';
import { documentOf } from './document-of.js';
import type { Editable } from './edit-dialog.js';
import './edit-dialog.css';

/** Loaded on demand, because it contains a YAML parser. */
const EditDialog = lazy(() => loadPart(() => import('./edit-dialog.js')));

interface ResourceActionsProps {
  resource: AnyResource;
  kind: Kind;
  workspace: string;
  onChange: () => void;
  /** Set for a preview beside a list. */
  onDelete: (() => void) | undefined;
}

/** The actions of a resource. */
export function ResourceActions({ resource, kind, workspace, onChange, onDelete }: ResourceActionsProps): ReactElement {
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { one } = kinds[kind];
  const { name } = resource.metadata;
  const which = { type: kinds[kind].type, scope: { workspace }, name, version: resource.version };
  useViewActions(
    useMemo(() => [{ title: `Edit ${name}`, group: 'Resource', keys: ['e'], run: () => setEditing(true) }], [name]),
  );

  const isEnabled = 'enabled' in resource.spec ? resource.spec.enabled : undefined;
  const setEnabled = async (enabled: boolean) => {
    setBusy(true);
    const refused = await updateResource(which, { spec: { enabled } });
    setBusy(false);
    setProblem(refused?.message);
    onChange();
  };
  const remove = async () => {
    const refused = await deleteResource(which);
    if (refused !== undefined) {
      onChange();
      return refused.conflict === undefined
        ? refused.message
        : 'The resource was changed in the meantime. Review it before you delete it.';
    }
    if (onDelete === undefined) await navigate({ to: '/w/$workspace/$kind', params: { workspace, kind } });
    else onDelete();
    return undefined;
  };

  return (
    <div className="resource-buttons">
      {kind === 'jobs' && <RunJob workspace={workspace} job={name} isEnabled={isEnabled !== false} />}
      <button
        type="button"
        className={kind === 'jobs' ? 'button' : 'button primary'}
        title="Edit (e)"
        onClick={() => setEditing(true)}
      >
        Edit
      </button>
      {isEnabled !== undefined && (
        <button type="button" className="button" disabled={isBusy} onClick={() => void setEnabled(!isEnabled)}>
          {isEnabled ? 'Disable' : 'Enable'}
        </button>
      )}
      <Confirm trigger="Delete…" title={`Delete ${name}?`} confirm={`Delete ${one}`} keep="Cancel" run={remove}>
        {consequencesOf(resource, kind)} This cannot be undone. Past costs stay on the bill.
      </Confirm>
      {problem !== undefined && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      {isEditing && (
        <Suspense>
          <EditDialog
            which={which}
            resource={{ version: resource.version, document: documentOf(resource) }}
            reload={() => readAgain(kind, workspace, name)}
            onClose={() => setEditing(false)}
            onSaved={() => {
              setEditing(false);
              onChange();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

async function readAgain(kind: Kind, workspace: string, name: string): Promise<Editable | undefined> {
  const variables = { workspace, name };
  const { data } = await client
    .query<{ resource: AnyResource | null }, typeof variables>(resourceQueries[kind], variables, {
      requestPolicy: 'network-only',
    })
    .toPromise();
  return data?.resource == null ? undefined : { version: data.resource.version, document: documentOf(data.resource) };
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
