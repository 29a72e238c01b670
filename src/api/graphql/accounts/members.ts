import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { dryRunArgument, otherAccount } from '../change-arguments.js';
import { addMutation, nonNull } from '../mutation.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { AccountType, PrincipalKindEnum, RoleEnum, WorkspaceType } from './accounts.js';
import {
  leaveAccount,
  leaveWorkspace,
  removeMember,
  setMember,
  updateMember,
} from '../../../accounts/member-changes.js';
import { listMembers } from '../../../accounts/members.js';
import type { Member } from '../../../accounts/members.js';

export const OriginEnum = builder.enumType('MembershipOrigin', {
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

const memberArguments = {
  ...listOrderArgument,
  ...searchArgument('name and displayName'),
  ...builder.args((t) => ({
    role: t.field({ type: RoleEnum, description: 'Only members with this role.' }),
    kind: t.field({ type: PrincipalKindEnum, description: 'Only members of this kind.' }),
  })),
};

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
        resolveList(args, info, (input) =>
          listMembers(ctx, { accountId: id }, { ...input, role: args.role, kind: args.kind }),
        ),
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
        resolveList(args, info, (input) =>
          listMembers(ctx, { workspace: name }, { ...input, role: args.role, kind: args.kind }),
        ),
    },
    connection,
  ),
);

const memberFields = (t: InputFields) => ({
  ...dryRunArgument(t),
  account: t.string({ description: otherAccount }),
  workspace: t.string({ description: 'Name of the workspace. Omitted: the account itself.' }),
  name: t.string({ required: true, description: 'The user’s email address, or the name of the service account.' }),
});

addMutation('setMember', {
  description:
    'Adds a user or service account to an account or workspace without an invitation, or changes the role of a member. ' +
    'A member of a workspace is also a member of its account. Needs an admin of the platform.',
  scopes: [['admin']],
  inputDescription: 'The member and the role. Name the account or the workspace.',
  argumentDescription: 'The member, the account or workspace, and the role.',
  input: (t) => ({
    ...memberFields(t),
    account: t.string({ description: 'Name of the account. Omitted: that of the workspace.' }),
    role: t.field({ type: RoleEnum, required: true, description: 'Role of the member.' }),
  }),
  run: async (ctx, input) => ({ member: await setMember(ctx, input) }),
  payloadDescription: 'The member',
  payload: (t) => ({ member: t.expose('member', nonNull(MemberType, 'The member with the role.')) }),
});

addMutation('updateMember', {
  description:
    'Changes the role of a member. An account keeps at least one admin. Needs an admin of the account or ' +
    'workspace.',
  scopes: [['workspaces:update']],
  inputDescription: 'The member to update, and the new role.',
  input: (t) => ({
    ...memberFields(t),
    role: t.field({ type: RoleEnum, required: true, description: 'The new role.' }),
  }),
  run: async (ctx, input) => ({ member: await updateMember(ctx, input) }),
  payloadDescription: 'The updated member',
  payload: (t) => ({ member: t.expose('member', nonNull(MemberType, 'The updated member.')) }),
});

addMutation('removeMember', {
  description:
    'Permanently removes a member. Removal from the account also ends memberships of its workspaces. The ' +
    'member’s API keys, tokens and OAuth consents there are revoked. Needs an admin of the account or ' +
    'workspace.',
  scopes: [['workspaces:remove']],
  inputDescription: 'The member to remove.',
  argumentDescription: 'The member to remove, and the account or workspace.',
  input: memberFields,
  run: async (ctx, input) => ({ member: await removeMember(ctx, input) }),
  payloadDescription: 'The removed member',
  payload: (t) => ({ member: t.expose('member', nonNull(MemberType, 'The member before the removal.')) }),
});

const membershipField = 'The caller’s membership before leaving.';

addMutation('leaveAccount', {
  description:
    'Ends the caller’s own membership of the account, and revokes keys and tokens as removeMember does. The ' +
    'last admin of an account cannot leave it.',
  scopes: [['workspaces:leave']],
  inputDescription: 'Options for leaving the account.',
  argumentDescription: 'The options of the mutation.',
  input: (t) => dryRunArgument(t),
  run: async (ctx, input) => ({ member: await leaveAccount(ctx, input) }),
  payloadDescription: 'The ended membership',
  payload: (t) => ({ member: t.expose('member', nonNull(MemberType, membershipField)) }),
});

addMutation('leaveWorkspace', {
  description: 'Ends the caller’s own membership of a workspace, and revokes keys and tokens as removeMember does.',
  scopes: [['workspaces:leave']],
  inputDescription: 'The workspace to leave.',
  input: (t) => ({
    workspace: t.string({ required: true, description: 'Name of the workspace.' }),
    ...dryRunArgument(t),
  }),
  run: async (ctx, input) => ({ member: await leaveWorkspace(ctx, input) }),
  payloadDescription: 'The ended membership',
  payload: (t) => ({ member: t.expose('member', nonNull(MemberType, membershipField)) }),
});
