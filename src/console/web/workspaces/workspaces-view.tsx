import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer, useLastAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { useRefresh } from '../api/use-refresh.js';
import { client, pageClient } from '../api/client.js';
import { readingOf } from '../api/reading.js';
import type { Reading } from '../api/reading.js';
import { documentOfPart } from '../editing/document-of.js';
import { editAction } from '../editing/part-menu.js';
import type { Editable } from '../editing/edit-dialog.js';
import { CreateButton } from '../editing/create-button.js';
import { titleOf, useAccount, viewerQuery } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { countsFrom } from '../kinds/holdings.js';
import { kindNames, kinds } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import { formatCount } from '../look/money.js';
import { SearchField } from '../lists/search-field.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { Skeletons } from '../look/skeletons.js';
import { RowMenu } from '../look/row-menu.js';
import type { RowAction } from '../look/row-menu.js';
import { Time } from '../look/time-text.js';
import { capitalize } from '../look/labels.js';
import { ListCount } from '../look/list-count.js';
import { DeleteWorkspace } from './delete-workspace.js';
import { workspaceQuery, workspacesQuery } from './workspace-queries.js';
import type { WorkspaceRow } from './workspace-queries.js';
import '../access/access-view.css';
import '../editing/edit-dialog.css';
import '../resources/resource-panel.css';
import './workspaces.css';

const route = getRouteApi('/a/$account/workspaces');
/** The search field appears from this number of workspaces onwards. */
const searchedFrom = 8;

/** The workspaces of an account with their resource counts. */
export function WorkspacesView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  return account === undefined ? <NoAccount name={name} /> : <Workspaces key={account.id} account={account} />;
}

function Workspaces({ account }: { account: ViewerAccount }): ReactElement {
  const { q, after } = route.useSearch();
  const navigate = useNavigate();
  const variables = {
    account: account.id,
    ...(q === undefined ? {} : { search: q }),
    ...(after === undefined ? {} : { after }),
  };
  const [{ data, error }, again] = useAnswer({ query: workspacesQuery, variables });
  const refresh = () => {
    again({ requestPolicy: 'network-only' });
    // The rail and the workspace pickers show them as well.
    void client.query(viewerQuery, {}, { requestPolicy: 'network-only' }).toPromise();
  };
  useRefresh(() => again({ requestPolicy: 'network-only' }));
  const answered = data?.account?.workspaces;
  const { shown, isOld } = useLastAnswer(answered == null ? undefined : { workspaces: answered, q }, error);
  const isAdmin = account.viewerRole === 'ADMIN';
  const here = { to: '/a/$account/workspaces', params: { account: account.name } } as const;
  const search = q === undefined ? {} : { q };
  return (
    <div className="view">
      <div className="view-bar">
        <h1>Workspaces</h1>
        {(q !== undefined || (shown?.workspaces.totalCount ?? 0) >= searchedFrom) && <Search />}
        <ListCount
          of="workspaces"
          text={shown === undefined || isOld ? undefined : countText(shown.workspaces, q)}
          error={error}
        />
        <span>
          {isAdmin && (
            <CreateButton
              isPrimary
              type="Workspace"
              scope={{}}
              onCreated={(workspace) => {
                refresh();
                void navigate({ to: '/w/$workspace', params: { workspace } });
              }}
            />
          )}
        </span>
      </div>
      {shown !== undefined ? (
        <Older isOld={isOld}>
          <WorkspaceTable {...shown} account={account} onChange={refresh} />
        </Older>
      ) : error !== undefined ? (
        <FailureNotice error={error} onRetry={refresh}>
          {after !== undefined && (
            <Link {...here} search={search} className="button">
              First page
            </Link>
          )}
        </FailureNotice>
      ) : (
        <Skeletons />
      )}
      {shown !== undefined && shown.workspaces.nodes.length < shown.workspaces.filteredCount && (
        <p className="table-pages">
          <span className="quiet">
            Showing {formatCount(shown.workspaces.nodes.length)} of{' '}
            {plural(shown.workspaces.filteredCount, 'workspace')}, by name.
          </span>
          {after !== undefined && (
            <Link {...here} search={search} className="button">
              First page
            </Link>
          )}
          {shown.workspaces.pageInfo.hasNextPage && shown.workspaces.pageInfo.endCursor !== null && (
            <Link {...here} search={{ ...search, after: shown.workspaces.pageInfo.endCursor }} className="button">
              Next page
            </Link>
          )}
        </p>
      )}
    </div>
  );
}

interface WorkspaceTableProps {
  workspaces: { nodes: readonly WorkspaceRow[] };
  q: string | undefined;
  account: ViewerAccount;
  onChange: () => void;
}

function WorkspaceTable({ workspaces, q, account, onChange }: WorkspaceTableProps): ReactElement {
  if (workspaces.nodes.length === 0) {
    return (
      <Notice title={q === undefined ? 'No workspaces yet' : `No workspaces match “${q}”`}>
        {q === undefined ? (
          'A workspace groups agents, sandboxes, jobs and their members.'
        ) : (
          <Link to="/a/$account/workspaces" params={{ account: account.name }} className="text-link">
            Clear filters
          </Link>
        )}
      </Notice>
    );
  }
  return (
    <table className="plain-table workspace-table">
      <thead>
        <tr>
          <th scope="col">Workspace</th>
          <th scope="col">Resources</th>
          <th scope="col">Your role</th>
          <th scope="col">Created</th>
          <th scope="col">
            <span className="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {workspaces.nodes.map((workspace) => (
          <Row
            key={workspace.id}
            workspace={workspace}
            isAccountAdmin={account.viewerRole === 'ADMIN'}
            onChange={onChange}
          />
        ))}
      </tbody>
    </table>
  );
}

function Row({
  workspace,
  isAccountAdmin,
  onChange,
}: {
  workspace: WorkspaceRow;
  isAccountAdmin: boolean;
  onChange: () => void;
}): ReactElement {
  const { name, viewerRole, createdAt } = workspace;
  const edit = editAction({
    which: { type: 'Workspace', scope: {}, name },
    resource: editableOf(workspace),
    reload: () => readAgain(name),
    onDone: onChange,
  });
  const remove: RowAction = {
    label: 'Delete…',
    isDestructive: true,
    dialog: (control) => (
      <DeleteWorkspace
        control={control}
        workspace={workspace}
        onDone={() => {
          control.onOpenChange(false);
          onChange();
        }}
      />
    ),
  };
  const actions = [...(viewerRole === 'ADMIN' ? [edit] : []), ...(isAccountAdmin ? [remove] : [])];
  return (
    <tr>
      <th scope="row" className="workspace-name">
        <Link to="/w/$workspace" params={{ workspace: name }}>
          {titleOf(workspace)}
        </Link>
        <span className="quiet mono">{name}</span>
      </th>
      <td className="workspace-holds">
        <ResourceCounts workspace={workspace} />
      </td>
      <td className="workspace-role">{capitalize(viewerRole.toLowerCase())}</td>
      <td className="workspace-made">
        <Time value={createdAt} />
      </td>
      <td>{actions.length > 0 && <RowMenu label={`Actions of workspace ${name}`} actions={actions} />}</td>
    </tr>
  );
}

/** The number of resources by kind, with links. */
function ResourceCounts({ workspace }: { workspace: WorkspaceRow }): ReactElement {
  const counts = countsFrom(workspace);
  const { images } = counts;
  const present = kindNames.filter((kind) => counts[kind] > 0);
  if (present.length === 0 && images === 0) return <span className="quiet">None</span>;
  return (
    <ul>
      {present.map((kind) => (
        <li key={kind}>
          <Link to="/w/$workspace/$kind" params={{ workspace: workspace.name, kind }}>
            {plural(counts[kind], kinds[kind].one, kinds[kind].many.toLowerCase())}
          </Link>
        </li>
      ))}
      {images > 0 && (
        <li>
          <Link to="/w/$workspace/images" params={{ workspace: workspace.name }}>
            {plural(images, 'image')}
          </Link>
        </li>
      )}
    </ul>
  );
}

function Search(): ReactElement {
  const { account } = route.useParams();
  const { q } = route.useSearch();
  const navigate = useNavigate();
  const onTyped = (typed: string | undefined) => {
    const search = typed === undefined ? {} : { q: typed };
    void navigate({ to: '/a/$account/workspaces', params: { account }, search, replace: true });
  };
  return <SearchField q={q} onTyped={onTyped} placeholder="Name or title" label="Filter workspaces by name or title" />;
}

interface Counted {
  totalCount: number;
  filteredCount: number;
}

function countText({ totalCount, filteredCount }: Counted, q: string | undefined): string {
  const all = plural(totalCount, 'workspace');
  if (filteredCount === totalCount) return all;
  return `${formatCount(filteredCount)} of ${all}${q === undefined ? '' : ` matching “${q}”`}`;
}

function editableOf({ version, displayName }: { version: number; displayName: string | null }): Editable {
  return { version, document: documentOfPart({ metadata: { displayName, protected: null } }) };
}

async function readAgain(name: string): Promise<Reading<Editable>> {
  const { data, error } = await pageClient.query(workspaceQuery, { name }).toPromise();
  return readingOf('workspace', data?.workspace && editableOf(data.workspace), error);
}
