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

/** It brings a reader of YAML along, which nothing else needs. */
const EditDialog = lazy(() => loadPart(() => import('./edit-dialog.js')));

interface ResourceActionsProps {
  resource: AnyResource;
  kind: Kind;
  workspace: string;
  onChange: () => void;
  /** Given where it stands beside a list. */
  onDelete: (() => void) | undefined;
}

/** What can be done with a resource. */
export function ResourceActions({ resource, kind, workspace, onChange, onDelete }: ResourceActionsProps): ReactElement {
  const navigate = useNavigate();
  const [isEditing, setEditing] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const { one } = kinds[kind];
  const { name } = resource.metadata;
  const which = { type: kinds[kind].type, place: { workspace }, name, version: resource.version };
  useViewActions(
    useMemo(() => [{ title: `Edit ${name}`, group: 'Resource', keys: ['e'], run: () => setEditing(true) }], [name]),
  );

  const isEnabled = 'enabled' in resource.spec ? resource.spec.enabled : undefined;
  const turn = async (enabled: boolean) => {
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
      return refused.since === undefined
        ? refused.message
        : 'It was changed meanwhile. Look at it again before you delete it.';
    }
    if (onDelete === undefined) await navigate({ to: '/w/$workspace/$kind', params: { workspace, kind } });
    else onDelete();
    return undefined;
  };

  return (
    <div className="resource-doings">
      {kind === 'jobs' && <RunJob workspace={workspace} job={name} isEnabled={isEnabled !== false} />}
      <button type="button" className="button" title="Edit (e)" onClick={() => setEditing(true)}>
        Edit
      </button>
      {isEnabled !== undefined && (
        <button type="button" className="button" disabled={isBusy} onClick={() => void turn(!isEnabled)}>
          {isEnabled ? 'Switch off' : 'Switch on'}
        </button>
      )}
      <Confirm trigger="Delete…" title={`Delete ${name}?`} confirm={`Delete the ${one}`} keep="Keep it" run={remove}>
        {whatGoes(resource, kind)} It cannot be brought back. What it cost stays on the bill.
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

/** What a deletion takes along, counted, and what it does not. */
function whatGoes(resource: AnyResource, kind: Kind): string {
  if ('executions' in resource) {
    const count = resource.executions.totalCount;
    return count === 0 ? 'It was never run.' : `Its ${countOf(count, 'execution')} and their tasks go with it.`;
  }
  if ('previews' in resource) {
    const count = resource.previews.totalCount;
    const previews = count === 0 ? '' : `Its ${countOf(count, 'preview')} and their addresses go with it. `;
    return `${previews}Volumes that it has attached stay.`;
  }
  if ('egressGateways' in resource) {
    const count = resource.egressGateways.totalCount;
    return count === 0
      ? 'It has no egress gateways.'
      : `It has ${countOf(count, 'egress gateway')}, which must be deleted first.`;
  }
  if (kind === 'volumes') return 'All that is stored on it goes with it. It must not be attached to anything.';
  const triggers = 'triggers' in resource.spec ? (resource.spec.triggers?.length ?? 0) : 0;
  const answers = 'It answers no more requests.';
  const started = triggers === 0 ? '' : ` Its ${countOf(triggers, 'trigger')} start nothing any more.`;
  return `${answers}${started} Volumes that it has attached stay.`;
}

function countOf(count: number, one: string): string {
  return count === 1 ? `one ${one}` : `${formatCount(count)} ${one}s`;
}
