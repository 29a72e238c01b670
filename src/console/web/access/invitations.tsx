import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import { useAllNodes } from '../api/use-all-nodes.js';
import { Confirm } from '../look/confirm.js';
import { CopyButton } from '../look/copy-button.js';
import { FurtherPages } from '../look/further-pages.js';
import { capitalize } from '../look/labels.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { RowMenu } from '../look/row-menu.js';
import { Time } from '../look/time-text.js';
import { Section } from '../resources/section.js';
import { allowanceOf, invitationLink } from './invitation-texts.js';
import { invitationsQuery, revokeInvitationMutation } from './member-queries.js';
import type { Invitation, InvitationPage } from './member-queries.js';

const columns: TableColumn<Invitation>[] = [
  { label: 'Email address', value: ({ email }) => email },
  { label: 'Role', value: ({ role }) => role },
  { label: 'Invited by', value: ({ invitedBy }) => invitedBy },
  { label: 'Expires', value: ({ expiresAt }) => expiresAt },
];

const textOf = ({ email, role, invitedBy }: Invitation) => `${email} ${role} ${invitedBy ?? ''}`;

interface InvitationsProps {
  /** Their first page. */
  first: InvitationPage;
  /** The id of the account. */
  account: string;
  /** The name of the workspace; undefined for the account and all its workspaces. */
  workspace: string | undefined;
  isAdmin: boolean;
  onChange: () => void;
}

/** The pending invitations; nothing if there are none. */
export function Invitations({ first, account, workspace, isAdmin, onChange }: InvitationsProps): ReactElement | null {
  const all = useAllNodes(first, {
    query: invitationsQuery,
    variables: { account, workspace: workspace ?? '', isOfWorkspace: workspace !== undefined },
    pageOf: ({ ofAccount, ofWorkspace }) => ofAccount?.invitations ?? ofWorkspace?.invitations,
  });
  const { nodes } = all;
  const { rows, headings, filterField, noMatch } = useTableRows(nodes, columns, textOf);
  if (nodes.length === 0) return null;
  return (
    <Section title="Invitations" aside={filterField}>
      <PlainTable label="Invitations" columns={headings} rows={rows} noMatch={noMatch}>
        {(invitation) => (
          <InvitedRow key={invitation.id} invitation={invitation} isAdmin={isAdmin} onChange={onChange} />
        )}
      </PlainTable>
      <FurtherPages of="invitations" list={all} totalCount={first.filteredCount} />
      <p className="quiet">
        Send each person the link of their invitation. An email is sent only if the gateway has a mail server.
      </p>
    </Section>
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
      <td data-label={invitedBy === null ? undefined : 'Invited by'}>{invitedBy}</td>
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
