import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { useAccount, useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { Choice } from '../look/choice.js';
import { Confirm } from '../look/confirm.js';
import { CopyButton } from '../look/copy-button.js';
import { FailureNotice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { RowMenu } from '../look/row-menu.js';
import type { DialogControl } from '../look/row-menu.js';
import { Time } from '../look/time-text.js';
import { capitalize } from '../look/labels.js';
import { Section } from '../resources/section.js';
import { EndAccess } from './end-access.js';
import { allowanceOf, invitationLink } from './invitation-texts.js';
import { InviteMember } from './invite-member.js';
import { MyInvitations } from './my-invitations.js';
import {
  accountMembersQuery,
  removeMemberMutation,
  revokeInvitationMutation,
  roles,
  updateMemberMutation,
  workspaceMembersQuery,
} from './member-queries.js';
import type { Invitation, Member, Role } from './member-queries.js';
import { NoAccount } from './no-account.js';
import { perform } from '../api/perform.js';
import { Problems } from '../look/problems.js';
import '../activity/activity.css';
import './access-view.css';

const route = getRouteApi('/a/$account/members');
const wholeAccount = '';

const columns: TableColumn<Member>[] = [
  { label: 'Name', value: ({ name, displayName }) => displayName ?? name },
  { label: 'Kind', value: ({ kind, isInherited }) => `${kind} ${isInherited}` },
  { label: 'Origin', value: originOf },
  { label: 'Member since', value: ({ memberSince }) => memberSince },
];

const textOf = ({ name, displayName, role }: Member) => `${name} ${displayName ?? ''} ${role}`;

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
  const { in: requested, after } = route.useSearch();
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
  const [ofAccount, accountAgain] = useAnswer({
    query: accountMembersQuery,
    variables: { account: account.id, ...(after === undefined ? {} : { after }) },
    pause: workspace !== undefined,
  });
  const [ofWorkspace, workspaceAgain] = useAnswer({
    query: workspaceMembersQuery,
    variables: { workspace: workspace ?? '', ...(after === undefined ? {} : { after }) },
    pause: workspace === undefined,
  });
  const { data, error } =
    workspace === undefined
      ? { data: ofAccount.data?.account, error: ofAccount.error }
      : { data: ofWorkspace.data?.workspace, error: ofWorkspace.error };
  const refresh = () => (workspace === undefined ? accountAgain : workspaceAgain)({ requestPolicy: 'network-only' });
  const members = data?.members ?? undefined;
  const { rows, headings, filterField } = useTableRows(members?.nodes ?? [], columns, textOf);
  const { nodes: waiting = [], filteredCount: waitingCount = 0 } = data?.invitations ?? {};
  const here = { to: '/a/$account/members', params: { account: account.name } } as const;
  const scope = requested === undefined ? {} : { in: requested };
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
        {filterField}
        <span className="quiet" role="status">
          {members === undefined ? '' : `${members.totalCount} ${members.totalCount === 1 ? 'member' : 'members'}`}
        </span>
        {isAdmin && <InviteMember workspace={workspace} onDone={refresh} />}
      </div>
      <MyInvitations />
      {members === undefined ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh} />
        )
      ) : (
        <PlainTable columns={headings}>
          {rows.map((member) => (
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
          ))}
        </PlainTable>
      )}
      {members !== undefined && members.nodes.length < members.totalCount && (
        <p className="activity-pages">
          <span className="quiet">
            Showing {members.nodes.length} of {members.totalCount} members, by name.
          </span>
          {after !== undefined && (
            <Link {...here} search={scope} className="button">
              First page
            </Link>
          )}
          {members.pageInfo.hasNextPage && members.pageInfo.endCursor !== null && (
            <Link {...here} search={{ ...scope, after: members.pageInfo.endCursor }} className="button">
              Next page
            </Link>
          )}
        </p>
      )}
      {waiting.length > 0 && (
        <Section title="Invitations">
          <PlainTable label="Invitations" columns={['Email address', 'Role', 'Invited by', 'Expires']}>
            {waiting.map((invitation) => (
              <InvitedRow key={invitation.id} invitation={invitation} isAdmin={isAdmin} onChange={refresh} />
            ))}
          </PlainTable>
          {waiting.length < waitingCount && (
            <p className="quiet">
              Showing the newest {waiting.length} of {waitingCount} invitations.
            </p>
          )}
          <p className="quiet">
            Send each person the link of their invitation. An email is sent only if the gateway has a mail server.
          </p>
        </Section>
      )}
    </div>
  );
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

interface InvitedRowProps {
  invitation: Invitation;
  isAdmin: boolean;
  onChange: () => void;
}

function InvitedRow({ invitation, isAdmin, onChange }: InvitedRowProps): ReactElement {
  const { id, email, role, workspaceName, invitedBy, expiresAt } = invitation;
  return (
    <tr>
      <td>
        <strong>{email}</strong>
      </td>
      <td>
        {capitalize(role.toLowerCase())}
        <span className="quiet">: {allowanceOf(role, workspaceName)}</span>
      </td>
      <td data-label="Invited by">{invitedBy}</td>
      <td data-label="Expires">
        <Time value={expiresAt} />
      </td>
      <td>
        <span className="key-actions">
          <CopyButton text={invitationLink(id)} label={`Copy invitation link of ${email}`} />
          {isAdmin && (
            <RowMenu
              label={`Actions of the invitation of ${email}`}
              actions={[
                {
                  label: 'Revoke…',
                  isDestructive: true,
                  dialog: (control) => (
                    <Confirm
                      control={control}
                      title={`Revoke invitation of ${email}?`}
                      confirm="Revoke"
                      keep="Cancel"
                      run={async () => {
                        const why = await perform(revokeInvitationMutation, { id });
                        if (why === undefined) onChange();
                        return why;
                      }}
                    >
                      The invitation can no longer be accepted. You can invite the person again.
                    </Confirm>
                  ),
                },
              ]}
            />
          )}
        </span>
      </td>
    </tr>
  );
}
