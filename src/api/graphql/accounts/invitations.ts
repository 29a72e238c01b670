import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { resourceIdOf } from '../global-id.js';
import { resultOf, resultType } from '../mutation.js';
import { resolveList, searchArgument, sortArgument } from '../resource-list.js';
import { AccountType, RoleEnum, ViewerType, WorkspaceType } from './accounts.js';
import {
  acceptInvitation,
  declineInvitation,
  listOwnInvitations,
  ownInvitationsMax,
} from '../../../accounts/invitation-answer.js';
import { invitationStatus, invitationStatuses } from '../../../accounts/invitation.js';
import type { Invitation } from '../../../accounts/invitation.js';
import {
  findInvitations,
  invitationDaysDefault,
  invitationDaysMax,
  inviteMember,
  listInvitations,
  revokeInvitation,
} from '../../../accounts/invitations.js';

const InvitationStatusEnum = builder.enumType('InvitationStatus', {
  description: 'What became of an invitation.',
  values: enumValues(invitationStatuses),
});

const InvitationType = builder.node(builder.objectRef<Invitation>('Invitation'), {
  description:
    'An offer to become a member, to whoever has an email address. Whom it is for and the admins of the place see it. ' +
    'Needs the scope invitations:list.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, ctx) => findInvitations(ctx, ids),
  fields: (t) => ({
    email: t.exposeString('name', { nullable: false, description: 'Whom it is for.' }),
    role: t.expose('role', { type: RoleEnum, nullable: false, description: 'What they become.' }),
    status: t.field({
      type: InvitationStatusEnum,
      nullable: false,
      resolve: (invitation, _args, ctx) => invitationStatus(invitation, ctx.now()),
    }),
    accountName: t.string({
      nullable: false,
      description: 'Into which account.',
      resolve: ({ account }) => account.name,
    }),
    workspaceName: t.string({
      description: 'Into which workspace; null for one into the account itself.',
      resolve: ({ workspace }) => workspace?.name,
    }),
    invitedBy: t.exposeString('invitedBy', { description: 'Who made it.' }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was made.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'Until when it can be answered.',
      resolve: ({ expiresAt }) => expiresAt.toISOString(),
    }),
    decidedAt: t.field({
      type: 'DateTime',
      description: 'When it was answered, or taken back.',
      resolve: ({ decidedAt }) => decidedAt?.toISOString(),
    }),
  }),
});

const listArguments = builder.args((t) => ({
  status: t.field({ type: InvitationStatusEnum, description: 'Only those of this status.' }),
}));

const connection = builder.connectionObject(
  { type: InvitationType, name: 'InvitationConnection', description: 'A page of invitations.' },
  { name: 'InvitationEdge', description: 'One of a page of invitations, with its cursor.' },
);

builder.objectField(AccountType, 'invitations', (t) =>
  t.connection(
    {
      type: InvitationType,
      nullable: true,
      description: 'Invitations into it and into its workspaces, for an admin of it. Needs the scope invitations:list.',
      args: { ...sortArgument, ...searchArgument('the email address'), ...listArguments },
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) =>
        resolveList(args, info, (input) => listInvitations(ctx, { accountId: id }, { ...input, status: args.status })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'invitations', (t) =>
  t.connection(
    {
      type: InvitationType,
      nullable: true,
      description: 'Invitations into it, for an admin of it. Needs the scope invitations:list.',
      args: { ...sortArgument, ...searchArgument('the email address'), ...listArguments },
      complexity: connectionComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) =>
          listInvitations(ctx, { workspace: name }, { ...input, status: args.status }),
        ),
    },
    connection,
  ),
);

builder.objectField(ViewerType, 'invitations', (t) =>
  t.field({
    type: [InvitationType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: ownInvitationsMax },
    description: `What waits for the caller, the newest ${ownInvitationsMax}. Needs the scope invitations:list.`,
    resolve: (_caller, _args, ctx) => listOwnInvitations(ctx),
  }),
);

interface InvitationPayload {
  invitation: Invitation;
}

const InviteResult = resultType<InvitationPayload>('InviteMember', 'What inviteMember made', (t) => ({
  invitation: t.expose('invitation', { type: InvitationType, nullable: false }),
}));

const InviteInput = builder.inputType('InviteMemberInput', {
  description: 'Whom to invite, and into what.',
  fields: (t) => ({
    workspace: t.string({ description: 'Name of a workspace; into the account itself when it is left out.' }),
    email: t.string({ required: true, description: 'Their email address, by which they sign in.' }),
    role: t.field({ type: RoleEnum, required: true, description: 'What they become.' }),
    expiresInDays: t.int({
      description: `How long it can be answered: 1 to ${invitationDaysMax} days; ${invitationDaysDefault} when left out.`,
    }),
  }),
});

builder.mutationField('inviteMember', (t) =>
  t.field({
    type: InviteResult,
    nullable: false,
    description:
      'Invites somebody by their email address: whoever signs in by that name can accept, once. Nothing is sent to them. ' +
      'Needs the scope workspaces:invite, and an admin of the place.',
    args: { input: t.arg({ type: InviteInput, required: true, description: 'Who, and into what.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ invitation: await inviteMember(ctx, input) })),
  }),
);

/** Which invitation. */
function idInput(name: string, description: string) {
  return builder.inputType(name, {
    description,
    fields: (t) => ({ id: t.id({ required: true, description: 'Its global id.' }) }),
  });
}

const RevokeResult = resultType<InvitationPayload>('RevokeInvitation', 'What revokeInvitation took back', (t) => ({
  invitation: t.expose('invitation', { type: InvitationType, nullable: false }),
}));

builder.mutationField('revokeInvitation', (t) =>
  t.field({
    type: RevokeResult,
    nullable: false,
    description: 'Takes an invitation back. Needs the scope workspaces:invite, and an admin of the place.',
    args: {
      input: t.arg({
        type: idInput('RevokeInvitationInput', 'Which invitation to take back.'),
        required: true,
        description: 'Which one.',
      }),
    },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ invitation: await revokeInvitation(ctx, resourceIdOf('Invitation', input.id)) })),
  }),
);

const AcceptResult = resultType<InvitationPayload>('AcceptInvitation', 'What acceptInvitation accepted', (t) => ({
  invitation: t.expose('invitation', { type: InvitationType, nullable: false }),
}));

builder.mutationField('acceptInvitation', (t) =>
  t.field({
    type: AcceptResult,
    nullable: false,
    description:
      'Makes the caller a member of what they are invited to. Credentials of that account reach it; those that the caller ' +
      'has for another one stay there. Needs the scope workspaces:accept.',
    args: {
      input: t.arg({
        type: idInput('AcceptInvitationInput', 'Which invitation to accept.'),
        required: true,
        description: 'Which one.',
      }),
    },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ invitation: await acceptInvitation(ctx, resourceIdOf('Invitation', input.id)) })),
  }),
);

const DeclineResult = resultType<InvitationPayload>('DeclineInvitation', 'What declineInvitation declined', (t) => ({
  invitation: t.expose('invitation', { type: InvitationType, nullable: false }),
}));

builder.mutationField('declineInvitation', (t) =>
  t.field({
    type: DeclineResult,
    nullable: false,
    description: 'Turns an invitation down. Needs the scope workspaces:decline.',
    args: {
      input: t.arg({
        type: idInput('DeclineInvitationInput', 'Which invitation to decline.'),
        required: true,
        description: 'Which one.',
      }),
    },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ invitation: await declineInvitation(ctx, resourceIdOf('Invitation', input.id)) })),
  }),
);
