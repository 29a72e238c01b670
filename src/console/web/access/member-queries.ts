import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { problem } from '../api/refusal.js';

export const people = graphql(`
  fragment MemberFields on Member {
    name
    displayName
    kind
    role
    isInherited
    origin
    isDisabled
    memberSince
  }
`);

const invited = graphql(`
  fragment InvitationFields on Invitation {
    id
    email
    role
    status
    workspaceName
    accountName
    invitedBy
    createdAt
    expiresAt
  }
`);

const memberPage = graphql(
  `
    fragment MemberPage on MemberConnection {
      totalCount
      filteredCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...MemberFields
      }
    }
  `,
  [people],
);

const invitationPage = graphql(
  `
    fragment InvitationPage on InvitationConnection {
      filteredCount
      pageInfo {
        hasNextPage
        endCursor
      }
      nodes {
        ...InvitationFields
      }
    }
  `,
  [invited],
);

export const accountMembersQuery = graphql(
  `
    query AccountMembers($account: ID!, $search: String, $role: Role, $after: String) {
      account(id: $account) {
        id
        members(first: 200, after: $after, orderBy: { field: NAME, direction: ASC }, search: $search, role: $role) {
          ...MemberPage
        }
        invitations(first: 200, status: PENDING) {
          ...InvitationPage
        }
      }
    }
  `,
  [memberPage, invitationPage],
);

/** The service accounts of an account. */
export const serviceAccountsQuery = graphql(`
  query ServiceAccounts($account: ID!, $after: String) {
    account(id: $account) {
      id
      members(first: 200, after: $after, orderBy: { field: NAME, direction: ASC }, kind: SERVICE_ACCOUNT) {
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          name
        }
      }
    }
  }
`);

export const workspaceMembersQuery = graphql(
  `
    query WorkspaceMembers($workspace: String!, $search: String, $role: Role, $after: String) {
      workspace(name: $workspace) {
        id
        members(first: 200, after: $after, orderBy: { field: NAME, direction: ASC }, search: $search, role: $role) {
          ...MemberPage
        }
        invitations(first: 200, status: PENDING) {
          ...InvitationPage
        }
      }
    }
  `,
  [memberPage, invitationPage],
);

/** A further page of the pending invitations of an account and its workspaces, or of one workspace. */
export const invitationsQuery = graphql(
  `
    query Invitations($account: ID!, $workspace: String!, $isOfWorkspace: Boolean!, $after: String) {
      ofAccount: account(id: $account) @skip(if: $isOfWorkspace) {
        id
        invitations(first: 200, after: $after, status: PENDING) {
          ...InvitationPage
        }
      }
      ofWorkspace: workspace(name: $workspace) @include(if: $isOfWorkspace) {
        id
        invitations(first: 200, after: $after, status: PENDING) {
          ...InvitationPage
        }
      }
    }
  `,
  [invitationPage],
);

export const myInvitationsQuery = graphql(
  `
    query MyInvitations {
      viewer {
        name
        invitations {
          ...InvitationFields
        }
      }
    }
  `,
  [invited],
);

export const inviteMutation = graphql(
  `
    mutation Invite($input: InviteMemberInput!) {
      result: inviteMember(input: $input) {
        __typename
        ... on InviteMemberPayload {
          invitation {
            id
          }
        }
        ...Problem
      }
    }
  `,
  [problem],
);

export const updateMemberMutation = graphql(
  `
    mutation UpdateMember($input: UpdateMemberInput!) {
      result: updateMember(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const removeMemberMutation = graphql(
  `
    mutation RemoveMember($input: RemoveMemberInput!) {
      result: removeMember(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const revokeInvitationMutation = graphql(
  `
    mutation RevokeInvitation($id: ID!) {
      result: revokeInvitation(input: { id: $id }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const acceptInvitationMutation = graphql(
  `
    mutation AcceptInvitation($id: ID!) {
      result: acceptInvitation(input: { id: $id }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const declineInvitationMutation = graphql(
  `
    mutation DeclineInvitation($id: ID!) {
      result: declineInvitation(input: { id: $id }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export type Member = ResultOf<typeof people>;
export type Invitation = ResultOf<typeof invited>;
export type InvitationPage = ResultOf<typeof invitationPage>;
export type Role = Member['role'];

export const roles = [
  { value: 'ADMIN', label: 'Admin', hint: 'Full access' },
  { value: 'MEMBER', label: 'Member', hint: 'Can edit' },
  { value: 'VIEWER', label: 'Viewer', hint: 'Read only' },
] as const satisfies readonly { value: Role; label: string; hint: string }[];
