import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument } from '../change-arguments.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { idField, withId } from '../reference.js';
import { addMutation, nonNull } from '../mutation.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
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
import { optionalTimeField, timeField } from '../time-fields.js';

const InvitationStatusEnum = builder.enumType('InvitationStatus', {
  description: 'Status of an invitation.',
  values: enumValues(invitationStatuses),
});

const InvitationType = builder.node(builder.objectRef<Invitation>('Invitation'), {
  description:
    'An offer of membership to the owner of an email address. Visible to the invited user, and to admins of ' +
    'the account or workspace.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, ctx) => findInvitations(ctx, ids),
  fields: (t) => ({
    email: t.exposeString('name', { nullable: false, description: 'Email address of the invited user.' }),
    role: t.expose('role', { type: RoleEnum, nullable: false, description: 'The role that the invitation grants.' }),
    status: t.field({
      type: InvitationStatusEnum,
      nullable: false,
      resolve: (invitation, _args, ctx) => invitationStatus(invitation, ctx.now()),
    }),
    accountName: t.string({
      nullable: false,
      description: 'The account of the invitation.',
      resolve: ({ account }) => account.name,
    }),
    workspaceName: t.string({
      description: 'The workspace of the invitation, or null for an invitation to the account itself.',
      resolve: ({ workspace }) => workspace?.name,
    }),
    invitedBy: t.exposeString('invitedBy', {
      description: 'Name of the member who created the invitation, or null for the operator of the service.',
    }),
    createdAt: t.field(timeField('createdAt', 'The time the invitation was created.')),
    expiresAt: t.field(timeField('expiresAt', 'The time the invitation expires.')),
    decidedAt: t.field(
      optionalTimeField(
        'decidedAt',
        'The time the invitation was accepted, declined or revoked; null while it is pending.',
      ),
    ),
  }),
});

const listArguments = builder.args((t) => ({
  status: t.field({ type: InvitationStatusEnum, description: 'Only invitations of this status.' }),
}));

const connection = builder.connectionObject(
  { type: InvitationType, name: 'InvitationConnection', description: 'A page of invitations.' },
  { name: 'InvitationEdge', description: 'An invitation and its cursor.' },
);

builder.objectField(AccountType, 'invitations', (t) =>
  t.connection(
    {
      type: InvitationType,
      nullable: true,
      extensions: requiresScopes([['invitations:list']]),
      description: 'Invitations to the account and its workspaces. Needs an admin of the account.',
      args: { ...listOrderArgument, ...searchArgument('the email address'), ...listArguments },
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
      extensions: requiresScopes([['invitations:list']]),
      description: 'Invitations to the workspace. Needs an admin of the workspace.',
      args: { ...listOrderArgument, ...searchArgument('the email address'), ...listArguments },
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
    extensions: requiresScopes([['invitations:list']]),
    description: `Pending invitations of the caller (the newest ${ownInvitationsMax}).`,
    resolve: (_caller, _args, ctx) => listOwnInvitations(ctx),
  }),
);

addMutation('inviteMember', {
  description:
    'Invites a user by email address. The user who signs in with this address can accept once. The service ' +
    'sends an email only if it has a mail server (SMTP_URL). Needs an admin of the account or workspace.',
  scopes: [['workspaces:invite']],
  inputDescription: 'The user to invite, and the account or workspace.',
  input: (t) => ({
    ...dryRunArgument(t),
    workspace: t.string({ description: 'Name of the workspace. Omitted: the invitation is to the account itself.' }),
    email: t.string({ required: true, description: 'Email address that the user signs in with.' }),
    role: t.field({ type: RoleEnum, required: true, description: 'The role to grant.' }),
    expiresInDays: t.int({
      description: `Validity of the invitation (days, 1 to ${invitationDaysMax}; default: ${invitationDaysDefault}).`,
    }),
  }),
  run: async (ctx, input) => ({ invitation: await inviteMember(ctx, input) }),
  payloadDescription: 'The created invitation',
  payload: (t) => ({ invitation: t.expose('invitation', nonNull(InvitationType)) }),
});

addMutation('revokeInvitation', {
  description: 'Revokes an invitation. Needs an admin of the account or workspace.',
  scopes: [['workspaces:invite']],
  inputDescription: 'The invitation to revoke.',
  argumentDescription: 'The invitation.',
  input: idFields,
  run: async (ctx, input) => ({ invitation: await revokeInvitation(ctx, withId('Invitation', input)) }),
  payloadDescription: 'The revoked invitation',
  payload: (t) => ({ invitation: t.expose('invitation', nonNull(InvitationType)) }),
});

addMutation('acceptInvitation', {
  description:
    'Accepts an invitation: the caller becomes a member of the account or workspace. The caller’s credentials ' +
    'of that account can access it; credentials of another account cannot.',
  scopes: [['workspaces:accept']],
  inputDescription: 'The invitation to accept.',
  argumentDescription: 'The invitation.',
  input: idFields,
  run: async (ctx, input) => ({ invitation: await acceptInvitation(ctx, withId('Invitation', input)) }),
  payloadDescription: 'The accepted invitation',
  payload: (t) => ({ invitation: t.expose('invitation', nonNull(InvitationType)) }),
});

addMutation('declineInvitation', {
  description: 'Declines an invitation.',
  scopes: [['workspaces:decline']],
  inputDescription: 'The invitation to decline.',
  argumentDescription: 'The invitation.',
  input: idFields,
  run: async (ctx, input) => ({ invitation: await declineInvitation(ctx, withId('Invitation', input)) }),
  payloadDescription: 'The declined invitation',
  payload: (t) => ({ invitation: t.expose('invitation', nonNull(InvitationType)) }),
});

function idFields(t: InputFields) {
  return { ...dryRunArgument(t), ...idField(t, 'invitation') };
}
