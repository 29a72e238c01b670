import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer, useLastAnswer } from '../api/use-answer.js';
import { useAccount, useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { SearchField } from '../lists/search-field.js';
import { plural } from '../look/amount.js';
import { Choice } from '../look/choice.js';
import { Confirm } from '../look/confirm.js';
import { formatCount } from '../look/money.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { Skeletons } from '../look/skeletons.js';
import { PlainTable, searchedFrom, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { RowMenu } from '../look/row-menu.js';
import type { DialogControl } from '../look/row-menu.js';
import { Time } from '../look/time-text.js';
import { capitalize } from '../look/labels.js';
import { EndAccess } from './end-access.js';
import { Invitations } from './invitations.js';
import { InviteMember } from './invite-member.js';
import { MyInvitations } from './my-invitations.js';
import {
  accountMembersQuery,
  removeMemberMutation,
  roles,
  updateMemberMutation,
  workspaceMembersQuery,
} from './member-queries.js';
import type { Member, Role } from './member-queries.js';
import { isRoleWord, roleOf } from './members-search.js';
import { NoAccount } from './no-account.js';
import { perform } from '../api/perform.js';
import { Problems } from '../look/problems.js';
import { ListCount } from '../look/list-count.js';
import './access-view.css';

const route = getRouteApi('/a/$account/members');
const wholeAccount = '';

const anyRole = 'any';
const roleOptions = [
  { value: anyRole, label: 'Any' },
  ...roles.map(({ value, label }) => ({ value: value.toLowerCase(), label })),
];

const columns: TableColumn<Member>[] = [
  { label: 'Name', value: ({ name, displayName }) => displayName ?? name },
  { label: 'Kind', value: ({ kind, isInherited }) => `${kind} ${isInherited}` },
  { label: 'Origin', value: originOf },
  { label: 'Member since', value: ({ memberSince }) => memberSince },
];

/** Who gave the membership: a group of an identity provider, or a person. */
function originOf({ origin }: Member): string {
  return origin === 'PROVIDER' ? 'Group' : 'Manual';
}

/** The members and invitations of an account or workspace. */
export function MembersView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  if (account === undefined) return <NoAccount name={name} />;
  return <Members key={account.id} account={account} />;
}

function Members({ account }: { account: ViewerAccount }): ReactElement {
  const { in: requested, q, role, after } = route.useSearch();
  const navigate = useNavigate();
  const { workspaces, name: me } = useViewer();
  const own = workspaces.filter((workspace) => workspace.account.id === account.id);
  const isAccountAdmin = account.viewerRole === 'ADMIN';
  // Only account admins can see the members of the account.
  const workspace = requested ?? (isAccountAdmin ? undefined : own[0]?.name);
  const isAdmin =
    workspace === undefined
      ? isAccountAdmin
      : isAccountAdmin || own.find((each) => each.name === workspace)?.viewerRole === 'ADMIN';
  const page = {
    ...(q === undefined ? {} : { search: q }),
    ...(role === undefined ? {} : { role: roleOf(role) }),
    ...(after === undefined ? {} : { after }),
  };
  const [ofAccount, accountAgain] = useAnswer({
    query: accountMembersQuery,
    variables: { account: account.id, ...page },
    pause: workspace !== undefined,
  });
  const [ofWorkspace, workspaceAgain] = useAnswer({
    query: workspaceMembersQuery,
    variables: { workspace: workspace ?? '', ...page },
    pause: workspace === undefined,
  });
  const { data, error } =
    workspace === undefined
      ? { data: ofAccount.data?.account, error: ofAccount.error }
      : { data: ofWorkspace.data?.workspace, error: ofWorkspace.error };
  const refresh = () => (workspace === undefined ? accountAgain : workspaceAgain)({ requestPolicy: 'network-only' });
  const answered = data?.members == null ? undefined : { ...data, members: data.members, workspace, q, role };
  const { shown: last, isOld } = useLastAnswer(answered, error);
  const shown = last?.workspace === workspace ? last : undefined;
  const members = shown?.members;
  const { rows, headings } = useTableRows(members?.nodes ?? [], columns);
  const here = { to: '/a/$account/members', params: { account: account.name } } as const;
  const scope = requested === undefined ? {} : { in: requested };
  const filters = { ...(q === undefined ? {} : { q }), ...(role === undefined ? {} : { role }) };
  const search = { ...scope, ...filters };
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <div className="view">
      <div className="view-bar">
        <h1>Members</h1>
        <Choice
          label="Scope"
          value={workspace ?? wholeAccount}
          options={[
            ...(isAccountAdmin ? [{ value: wholeAccount, label: 'Account' }] : []),
            ...own.map((each) => ({ value: each.name, label: each.name })),
          ]}
          onChange={(value) =>
            void navigate({
              ...here,
              search: value === wholeAccount ? {} : { in: value },
            })
          }
        />
        {(isFiltered || (members?.totalCount ?? 0) >= searchedFrom) && (
          <>
            <Search />
            <Choice
              label="Role"
              value={role ?? anyRole}
              options={roleOptions}
              onChange={(next) => {
                const { role: _before, ...others } = search;
                void navigate({ ...here, search: isRoleWord(next) ? { ...others, role: next } : others });
              }}
            />
          </>
        )}
        <ListCount of="members" text={shown === undefined || isOld ? undefined : countText(shown)} error={error} />
        {isAdmin && <InviteMember workspace={workspace} onDone={refresh} />}
      </div>
      <MyInvitations />
      {members === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh}>
            {after !== undefined && (
              <Link {...here} search={search} className="button">
                First page
              </Link>
            )}
          </FailureNotice>
        )
      ) : members.nodes.length === 0 && (shown?.q ?? shown?.role) !== undefined ? (
        <Notice title={shown?.q === undefined ? 'No members have this role' : `No members match “${shown.q}”`}>
          <Link {...here} search={scope} className="text-link">
            Clear filters
          </Link>
        </Notice>
      ) : (
        <Older isOld={isOld}>
          <PlainTable columns={headings} rows={rows}>
            {(member) => (
              <MemberRow
                key={`${member.kind} ${member.name}`}
                member={member}
                account={account.name}
                isAccountAdmin={isAccountAdmin}
                workspace={workspace}
                isMe={member.name === me}
                isAdmin={isAdmin}
                onChange={refresh}
              />
            )}
          </PlainTable>
        </Older>
      )}
      {members !== undefined && members.nodes.length < members.filteredCount && (
        <p className="table-pages">
          <span className="quiet">
            Showing {members.nodes.length} of {members.filteredCount} members, by name.
          </span>
          {after !== undefined && (
            <Link {...here} search={search} className="button">
              First page
            </Link>
          )}
          {members.pageInfo.hasNextPage && members.pageInfo.endCursor !== null && (
            <Link {...here} search={{ ...search, after: members.pageInfo.endCursor }} className="button">
              Next page
            </Link>
          )}
        </p>
      )}
      {shown?.invitations != null && (
        <Invitations
          first={shown.invitations}
          account={account.id}
          workspace={workspace}
          isAdmin={isAdmin}
          onChange={refresh}
        />
      )}
    </div>
  );
}

function Search(): ReactElement {
  const { account } = route.useParams();
  const { in: workspace, q, role } = route.useSearch();
  const navigate = useNavigate();
  const onTyped = (typed: string | undefined) => {
    const search = {
      ...(workspace === undefined ? {} : { in: workspace }),
      ...(typed === undefined ? {} : { q: typed }),
      ...(role === undefined ? {} : { role }),
    };
    void navigate({ to: '/a/$account/members', params: { account }, search, replace: true });
  };
  return <SearchField q={q} onTyped={onTyped} placeholder="Name" label="Filter members by name" />;
}

interface Counted {
  members: { totalCount: number; filteredCount: number };
  q: string | undefined;
}

function countText({ members: { totalCount, filteredCount }, q }: Counted): string {
  const all = plural(totalCount, 'member');
  if (filteredCount === totalCount) return all;
  return `${formatCount(filteredCount)} of ${all}${q === undefined ? '' : ` matching “${q}”`}`;
}

interface MemberRowProps {
  member: Member;
  /** The name of the account. */
  account: string;
  isAccountAdmin: boolean;
  workspace: string | undefined;
  isMe: boolean;
  isAdmin: boolean;
  onChange: () => void;
}

function MemberRow({
  member,
  account,
  isAccountAdmin,
  workspace,
  isMe,
  isAdmin,
  onChange,
}: MemberRowProps): ReactElement {
  const { name, displayName, kind, role, isInherited, isDisabled, memberSince } = member;
  const [problem, setProblem] = useState<string>();
  const where = workspace === undefined ? {} : { workspace };
  const become = async (next: Role) => {
    setProblem(await perform(updateMemberMutation, { input: { name, role: next, ...where } }));
    onChange();
  };
  return (
    <tr>
      <td>
        <strong>
          {isAccountAdmin ? (
            <Link to="/a/$account/members/$name" params={{ account, name }}>
              {displayName ?? name}
            </Link>
          ) : (
            (displayName ?? name)
          )}
        </strong>{' '}
        {displayName !== null && <span className="quiet">{name}</span>}
        <Problems text={problem} />
      </td>
      <td className="quiet">
        {[
          kind === 'USER' ? 'User' : 'Service account',
          isMe && 'you',
          isDisabled && 'disabled by the operator',
          isInherited && 'inherited from the account',
        ]
          .filter(Boolean)
          .join(', ')}
      </td>
      <td data-label="Origin">{originOf(member)}</td>
      <td data-label="Member since">{memberSince !== null && <Time value={memberSince} />}</td>
      <td>
        <span className="key-actions">
          {isAdmin && !isInherited ? (
            <>
              <Choice
                label={`Role of ${name}`}
                isLabelHidden
                value={role}
                options={roles}
                onChange={(next) => void become(next)}
              />
              <RowMenu
                label={`Actions of ${name}`}
                actions={[
                  {
                    label: 'Remove…',
                    isDestructive: true,
                    disabledReason: isMe && workspace === undefined ? 'Leave the account on its page' : undefined,
                    dialog: (control) =>
                      workspace === undefined ? (
                        <EndAccess name={name} account={account} control={control} onDone={onChange} />
                      ) : (
                        <RemoveFromWorkspace name={name} workspace={workspace} control={control} onDone={onChange} />
                      ),
                  },
                ]}
              />
            </>
          ) : (
            <span>{capitalize(role.toLowerCase())}</span>
          )}
        </span>
      </td>
    </tr>
  );
}

interface RemoveFromWorkspaceProps {
  name: string;
  workspace: string;
  control: DialogControl;
  onDone: () => void;
}

function RemoveFromWorkspace({ name, workspace, control, onDone }: RemoveFromWorkspaceProps): ReactElement {
  return (
    <Confirm
      control={control}
      title={`Remove ${name} from ${workspace}?`}
      confirm="Remove"
      keep="Cancel"
      run={async () => {
        const why = await perform(removeMemberMutation, { input: { name, workspace } });
        if (why === undefined) onDone();
        return why;
      }}
    >
      Their API keys, tokens and authorized applications of the workspace are revoked and are not restored by a new
      invitation. Resources they created are kept.
    </Confirm>
  );
}
