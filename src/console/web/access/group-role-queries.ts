import { pageClient } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf, VariablesOf } from '../api/graphql.js';
import { problem, refusal } from '../api/refusal.js';

const groupRoleFields = graphql(`
  fragment GroupRoleFields on GroupRole {
    name
    provider
    workspaceName
    role
    version
    updatedAt
  }
`);

const groupRolePage = graphql(
  `
    fragment GroupRolePage on GroupRoleConnection {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...GroupRoleFields
      }
    }
  `,
  [groupRoleFields],
);

const providerFields = graphql(`
  fragment ProviderFields on SignInProvider {
    providerId
    name
    issuer
    domains
    createsUsersOf
    groupsClaim
  }
`);

export const singleSignOnQuery = graphql(
  `
    query SingleSignOn($account: ID!) {
      account(id: $account) {
        id
        version
        requiredSignInProvider
        signInProviders {
          ...ProviderFields
        }
        groupRoles(first: 200, orderBy: { field: NAME, direction: ASC }) {
          ...GroupRolePage
        }
      }
    }
  `,
  [groupRolePage, providerFields],
);

/** The group roles of an account by name of the group; with a search, those of matching groups. */
export const groupRolesQuery = graphql(
  `
    query GroupRoles($account: ID!, $search: String, $after: String) {
      account(id: $account) {
        id
        groupRoles(first: 200, after: $after, orderBy: { field: NAME, direction: ASC }, search: $search) {
          ...GroupRolePage
        }
      }
    }
  `,
  [groupRolePage],
);

export const requireProviderMutation = graphql(
  `
    mutation RequireProvider($input: UpdateAccountInput!) {
      result: updateAccount(input: $input) {
        __typename
        ...Refusal
      }
    }
  `,
  [refusal],
);

export const createGroupRoleMutation = graphql(
  `
    mutation CreateGroupRole($input: CreateGroupRoleInput!) {
      result: createGroupRole(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const updateGroupRoleMutation = graphql(
  `
    mutation UpdateGroupRole($input: UpdateGroupRoleInput!) {
      result: updateGroupRole(input: $input) {
        __typename
        ...Refusal
      }
    }
  `,
  [refusal],
);

export const deleteGroupRoleMutation = graphql(
  `
    mutation DeleteGroupRole($input: DeleteGroupRoleInput!) {
      result: deleteGroupRole(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export type SignOnAccount = NonNullable<ResultOf<typeof singleSignOnQuery>['account']>;
export type GroupRole = ResultOf<typeof groupRoleFields>;
export type Provider = ResultOf<typeof providerFields>;

/** Reads the single sign-on of an account again; undefined if the service did not respond. */
export async function readSignOn(account: string): Promise<SignOnAccount | undefined> {
  const { data } = await pageClient.query(singleSignOnQuery, { account }).toPromise();
  return data?.account ?? undefined;
}

/** The API takes searches of this length. */
const searchMax = 200;

/** Reads a group role again; undefined if it was deleted or the service did not respond. */
export async function readGroupRole(account: string, known: GroupRole): Promise<GroupRole | undefined> {
  const isSame = ({ provider, name, workspaceName }: GroupRole) =>
    provider === known.provider && name === known.name && workspaceName === known.workspaceName;
  let after: string | null = null;
  do {
    const variables: VariablesOf<typeof groupRolesQuery> = { account, search: known.name.slice(0, searchMax), after };
    const { data } = await pageClient.query(groupRolesQuery, variables).toPromise();
    const page = data?.account?.groupRoles;
    const found = page?.nodes.find(isSame);
    if (found !== undefined) return found;
    after = page?.pageInfo.hasNextPage === true ? page.pageInfo.endCursor : null;
  } while (after !== null);
  return undefined;
}

/** The name of a provider; its id if it does not serve the account. */
export function providerTitle(providers: readonly Provider[], id: string): string {
  return providers.find(({ providerId }) => providerId === id)?.name ?? id;
}

/** The workspace of a group role as an input; nothing for a role in the account. */
export function inWorkspace({ workspaceName }: GroupRole): { workspace?: string } {
  return workspaceName === null ? {} : { workspace: workspaceName };
}
