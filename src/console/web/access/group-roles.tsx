import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import { useAllNodes } from '../api/use-all-nodes.js';
import { plural } from '../look/amount.js';
import { Confirm } from '../look/confirm.js';
import { FurtherPages } from '../look/further-pages.js';
import { capitalize } from '../look/labels.js';
import { Notice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { RowMenu } from '../look/row-menu.js';
import { Time } from '../look/time-text.js';
import { ListCount } from '../look/list-count.js';
import { Section } from '../resources/section.js';
import { EditGroupRole } from './group-role-dialogs.js';
import { deleteGroupRoleMutation, groupRolesQuery, inWorkspace, providerTitle } from './group-role-queries.js';
import type { GroupRole, Provider, SignOnAccount } from './group-role-queries.js';

interface GroupRolesProps {
  /** The id of the account. */
  account: string;
  roles: NonNullable<SignOnAccount['groupRoles']>;
  providers: readonly Provider[];
  onChange: () => void;
}

const scopeOf = ({ workspaceName }: GroupRole) => workspaceName ?? 'Account';

/** The roles that the members of groups get when they sign in. */
export function GroupRoles({ account, roles, providers, onChange }: GroupRolesProps): ReactElement {
  const titleOf = ({ provider }: GroupRole) => providerTitle(providers, provider);
  const columns: TableColumn<GroupRole>[] = [
    { label: 'Group', value: ({ name }) => name },
    { label: 'Provider', value: titleOf },
    { label: 'Scope', value: scopeOf },
    { label: 'Role', value: ({ role }) => role },
    { label: 'Updated', value: ({ updatedAt }) => updatedAt },
  ];
  const textOf = (each: GroupRole) => [each.name, titleOf(each), scopeOf(each), each.role].join(' ');
  const all = useAllNodes(roles, {
    query: groupRolesQuery,
    variables: { account },
    pageOf: (answer) => answer.account?.groupRoles,
  });
  const { nodes } = all;
  const { rows, headings, filterField, noMatch } = useTableRows(nodes, columns, textOf);
  return (
    <Section
      title="Group roles"
      aside={
        <>
          {filterField}
          <ListCount
            of="group roles"
            text={all.isComplete ? plural(rows.length, 'group role') : undefined}
            error={all.error}
          />
        </>
      }
    >
      {nodes.length === 0 ? (
        <Notice title="No group roles yet">
          A group role gives the members of a group a role in the account or a workspace when they sign in.
        </Notice>
      ) : (
        <PlainTable columns={headings} label="Group roles" rows={rows} noMatch={noMatch}>
          {(each) => (
            <GroupRoleRow
              key={JSON.stringify([each.provider, each.name, each.workspaceName])}
              account={account}
              groupRole={each}
              provider={titleOf(each)}
              onChange={onChange}
            />
          )}
        </PlainTable>
      )}
      <FurtherPages of="group roles" list={all} totalCount={roles.totalCount} />
    </Section>
  );
}

interface GroupRoleRowProps {
  account: string;
  groupRole: GroupRole;
  /** The name of the provider. */
  provider: string;
  onChange: () => void;
}

function GroupRoleRow({ account, groupRole, provider, onChange }: GroupRoleRowProps): ReactElement {
  const { name, role, workspaceName, updatedAt } = groupRole;
  const scope = workspaceName === null ? 'the account' : workspaceName;
  return (
    <tr>
      <td className="wrap">
        <strong>{name}</strong>
      </td>
      <td data-label="Provider">{provider}</td>
      <td data-label="Scope">{scopeOf(groupRole)}</td>
      <td>{capitalize(role.toLowerCase())}</td>
      <td data-label="Updated">
        <Time value={updatedAt} />
      </td>
      <td>
        <RowMenu
          label={`Actions of ${name} in ${scope}`}
          actions={[
            {
              label: 'Edit…',
              dialog: (control) => (
                <EditGroupRole account={account} groupRole={groupRole} control={control} onDone={onChange} />
              ),
            },
            {
              label: 'Remove…',
              isDestructive: true,
              dialog: (control) => (
                <Confirm
                  control={control}
                  title={`Remove the role of ${name} in ${scope}?`}
                  confirm="Remove group role"
                  keep="Cancel"
                  run={async () => {
                    const why = await perform(deleteGroupRoleMutation, {
                      input: { provider: groupRole.provider, name, ...inWorkspace(groupRole) },
                    });
                    if (why === undefined) onChange();
                    return why;
                  }}
                >
                  Members of the group lose the role, and their API keys and authorized applications there, when they
                  next sign in. Other group roles and memberships that an admin gave stay.
                </Confirm>
              ),
            },
          ]}
        />
      </td>
    </tr>
  );
}
