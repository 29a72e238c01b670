import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { resultOf, resultType } from '../mutation.js';
import { resolveList, searchArgument, sortArgument } from '../resource-list.js';
import { AccountType, PrincipalKindEnum, RoleEnum, WorkspaceType } from './accounts.js';
import { leave, removeMember, updateMember } from '../../../accounts/member-changes.js';
import { listMembers } from '../../../accounts/members.js';
import type { Member } from '../../../accounts/members.js';

export const MemberType = builder.objectRef<Member>('Member').implement({
  description: 'Somebody who belongs to an account or a workspace.',
  fields: (t) => ({
    name: t.exposeString('name', {
      nullable: false,
      description: 'A user’s email address, or the name of a service account.',
    }),
    displayName: t.exposeString('displayName', { description: 'Name for people.' }),
    kind: t.expose('kind', { type: PrincipalKindEnum, nullable: false }),
    role: t.expose('role', { type: RoleEnum, nullable: false, description: 'What they may do there.' }),
    isInherited: t.exposeBoolean('isInherited', {
      nullable: false,
      description:
        'Whether they are in the workspace by their role in its account, and not by a membership of their own.',
    }),
    isDisabled: t.exposeBoolean('isDisabled', {
      nullable: false,
      description: 'Whether the operator of the service keeps them out for now.',
    }),
    memberSince: t.field({
      type: 'DateTime',
      description: 'Since when; null for those of old, of whom it is not known.',
      resolve: ({ memberSince }) => (memberSince === null ? null : new Date(memberSince).toISOString()),
    }),
  }),
});

const memberArguments = { ...sortArgument, ...searchArgument('name and displayName') };

const connection = builder.connectionObject(
  { type: MemberType, name: 'MemberConnection', description: 'A page of members.' },
  { name: 'MemberEdge', description: 'One of a page of members, with its cursor.' },
);

builder.objectField(AccountType, 'members', (t) =>
  t.connection(
    {
      type: MemberType,
      nullable: true,
      description: 'Who belongs to it, for an admin of it. Needs the scope admin.',
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
      description:
        'Who belongs to it, with those who are in it by their role in the account. Needs the scope workspaces:get.',
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

const placeDescription = 'Name of a workspace; the account itself when it is left out.';

const UpdateResult = resultType<MemberPayload>('UpdateMember', 'What updateMember changed', (t) => ({
  member: t.expose('member', { type: MemberType, nullable: false, description: 'As they now are.' }),
}));

const UpdateInput = builder.inputType('UpdateMemberInput', {
  description: 'Whose role to change.',
  fields: (t) => ({
    workspace: t.string({ description: placeDescription }),
    name: t.string({ required: true, description: 'Their email address, or the name of a service account.' }),
    role: t.field({ type: RoleEnum, required: true, description: 'What they may do from then on.' }),
  }),
});

builder.mutationField('updateMember', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description:
      'Changes the role of a member. An account keeps at least one admin. Needs the scope workspaces:update, and an admin of the place.',
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Who, and what they become.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ member: await updateMember(ctx, input) })),
  }),
);

const RemoveResult = resultType<MemberPayload>('RemoveMember', 'Whom removeMember removed', (t) => ({
  member: t.expose('member', { type: MemberType, nullable: false, description: 'As they were.' }),
}));

const RemoveInput = builder.inputType('RemoveMemberInput', {
  description: 'Whose membership to end.',
  fields: (t) => ({
    workspace: t.string({ description: placeDescription }),
    name: t.string({ required: true, description: 'Their email address, or the name of a service account.' }),
  }),
});

builder.mutationField('removeMember', (t) =>
  t.field({
    type: RemoveResult,
    nullable: false,
    description:
      'Ends a membership: that of the account with those of its workspaces, and with keys, tokens and what programs were ' +
      'allowed there, for good. Needs the scope workspaces:remove, and an admin of the place.',
    args: { input: t.arg({ type: RemoveInput, required: true, description: 'Who, and of what.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ member: await removeMember(ctx, input) })),
  }),
);

const LeaveResult = resultType<MemberPayload>('Leave', 'What leave ended', (t) => ({
  member: t.expose('member', { type: MemberType, nullable: false, description: 'The caller, as they were.' }),
}));

const LeaveInput = builder.inputType('LeaveInput', {
  description: 'What to leave.',
  fields: (t) => ({ workspace: t.string({ description: placeDescription }) }),
});

builder.mutationField('leave', (t) =>
  t.field({
    type: LeaveResult,
    nullable: false,
    description:
      'Ends the caller’s own membership, with keys and tokens as removeMember does. The last admin of an account cannot ' +
      'leave it. Needs the scope workspaces:leave.',
    args: { input: t.arg({ type: LeaveInput, required: true, description: 'Of what.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ member: await leave(ctx, input) })),
  }),
);
