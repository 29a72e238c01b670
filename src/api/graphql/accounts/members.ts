import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { dryRunArgument } from '../change-arguments.js';
import { resultOf, resultType } from '../mutation.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { AccountType, PrincipalKindEnum, RoleEnum, WorkspaceType } from './accounts.js';
import { leaveAccount, leaveWorkspace, removeMember, updateMember } from '../../../accounts/member-changes.js';
import { listMembers } from '../../../accounts/members.js';
import type { Member } from '../../../accounts/members.js';

const OriginEnum = builder.enumType('MembershipOrigin', {
  description: 'The origin of a membership.',
  values: enumValues({
    manual: 'An admin, an invitation or the operator.',
    provider: 'A group of an identity provider. Each sign-in of the user updates the membership.',
  }),
});

export const MemberType = builder.objectRef<Member>('Member').implement({
  interfaces: [NamedInterface],
  description: 'A user or service account that belongs to an account or a workspace.',
  fields: (t) => ({
    name: t.exposeString('name', {
      nullable: false,
      description: 'A user’s email address, or the name of a service account.',
    }),
    displayName: t.exposeString('displayName', { description: 'Display name, or null if there is none.' }),
    kind: t.expose('kind', { type: PrincipalKindEnum, nullable: false }),
    role: t.expose('role', { type: RoleEnum, nullable: false, description: 'Role of the member.' }),
    isInherited: t.exposeBoolean('isInherited', {
      nullable: false,
      description:
        'True if the member has access to the workspace through a role in its account, not through a membership of ' +
        'the workspace.',
    }),
    origin: t.expose('origin', { type: OriginEnum, nullable: false }),
    isDisabled: t.exposeBoolean('isDisabled', {
      nullable: false,
      description: 'True if the operator of the service has disabled the member.',
    }),
    memberSince: t.field({
      type: 'DateTime',
      description: 'The time the member joined, or null if it was not recorded.',
      resolve: ({ memberSince }) => (memberSince === null ? null : new Date(memberSince).toISOString()),
    }),
  }),
});

const memberArguments = { ...listOrderArgument, ...searchArgument('name and displayName') };

const connection = builder.connectionObject(
  { type: MemberType, name: 'MemberConnection', description: 'A page of members.' },
  { name: 'MemberEdge', description: 'A member and its cursor.' },
);

builder.objectField(AccountType, 'members', (t) =>
  t.connection(
    {
      type: MemberType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Members of the account. Needs an admin of the account.',
      args: memberArguments,
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) =>
        resolveList(args, info, (input) => listMembers(ctx, { accountId: id }, input)),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'members', (t) =>
  t.connection(
    {
      type: MemberType,
      nullable: true,
      extensions: requiresScopes([['workspaces:get']]),
      description: 'Members of the workspace, including those who have access through a role in the account.',
      args: memberArguments,
      complexity: connectionComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listMembers(ctx, { workspace: name }, input)),
    },
    connection,
  ),
);

interface MemberPayload {
  member: Member;
}

const placeDescription = 'Name of the workspace. Omitted: the account itself.';

const UpdateResult = resultType<MemberPayload>('UpdateMember', 'The updated member', (t) => ({
  member: t.expose('member', { type: MemberType, nullable: false, description: 'The updated member.' }),
}));

const UpdateInput = builder.inputType('UpdateMemberInput', {
  description: 'The member to update, and the new role.',
  fields: (t) => ({
    ...dryRunArgument(t),
    workspace: t.string({ description: placeDescription }),
    name: t.string({ required: true, description: 'The user’s email address, or the name of the service account.' }),
    role: t.field({ type: RoleEnum, required: true, description: 'The new role.' }),
  }),
});

builder.mutationField('updateMember', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    extensions: requiresScopes([['workspaces:update']]),
    description:
      'Changes the role of a member. An account keeps at least one admin. Needs an admin of the account or ' +
      'workspace.',
    args: {
      input: t.arg({ type: UpdateInput, required: true, description: 'The member to update, and the new role.' }),
    },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ member: await updateMember(ctx, input) })),
  }),
);

const RemoveResult = resultType<MemberPayload>('RemoveMember', 'The removed member', (t) => ({
  member: t.expose('member', { type: MemberType, nullable: false, description: 'The member before the removal.' }),
}));

const RemoveInput = builder.inputType('RemoveMemberInput', {
  description: 'The member to remove.',
  fields: (t) => ({
    ...dryRunArgument(t),
    workspace: t.string({ description: placeDescription }),
    name: t.string({ required: true, description: 'The user’s email address, or the name of the service account.' }),
  }),
});

builder.mutationField('removeMember', (t) =>
  t.field({
    type: RemoveResult,
    nullable: false,
    extensions: requiresScopes([['workspaces:remove']]),
    description:
      'Permanently removes a member. Removal from the account also ends memberships of its workspaces. The ' +
      'member’s API keys, tokens and OAuth consents there are revoked. Needs an admin of the account or ' +
      'workspace.',
    args: {
      input: t.arg({
        type: RemoveInput,
        required: true,
        description: 'The member to remove, and the account or workspace.',
      }),
    },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ member: await removeMember(ctx, input) })),
  }),
);

const membershipField = 'The caller’s membership before leaving.';

const LeaveAccountResult = resultType<MemberPayload>('LeaveAccount', 'The ended membership', (t) => ({
  member: t.expose('member', { type: MemberType, nullable: false, description: membershipField }),
}));

const LeaveAccountInput = builder.inputType('LeaveAccountInput', {
  description: 'Options for leaving the account.',
  fields: (t) => dryRunArgument(t),
});

builder.mutationField('leaveAccount', (t) =>
  t.field({
    type: LeaveAccountResult,
    nullable: false,
    extensions: requiresScopes([['workspaces:leave']]),
    description:
      'Ends the caller’s own membership of the account, and revokes keys and tokens as removeMember does. The ' +
      'last admin of an account cannot leave it.',
    args: { input: t.arg({ type: LeaveAccountInput, required: true, description: 'The options of the mutation.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ member: await leaveAccount(ctx, input) })),
  }),
);

const LeaveWorkspaceResult = resultType<MemberPayload>('LeaveWorkspace', 'The ended membership', (t) => ({
  member: t.expose('member', { type: MemberType, nullable: false, description: membershipField }),
}));

const LeaveWorkspaceInput = builder.inputType('LeaveWorkspaceInput', {
  description: 'The workspace to leave.',
  fields: (t) => ({
    workspace: t.string({ required: true, description: 'Name of the workspace.' }),
    ...dryRunArgument(t),
  }),
});

builder.mutationField('leaveWorkspace', (t) =>
  t.field({
    type: LeaveWorkspaceResult,
    nullable: false,
    extensions: requiresScopes([['workspaces:leave']]),
    description: 'Ends the caller’s own membership of a workspace, and revokes keys and tokens as removeMember does.',
    args: { input: t.arg({ type: LeaveWorkspaceInput, required: true, description: 'The workspace to leave.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ member: await leaveWorkspace(ctx, input) })),
  }),
);
