import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { connectionComplexity } from '../connection.js';
import { addMutation, nonNull } from '../mutation.js';
import { NamedInterface } from '../named.js';
import { versionDescription } from '../resource.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { AccountType, RoleEnum } from './accounts.js';
import {
  createGroupRole,
  deleteGroupRole,
  groupNameLengthMax,
  listGroupRoles,
  listSignInProviders,
  updateGroupRole,
} from '../../../accounts/group-roles.js';
import type { GroupRole } from '../../../accounts/group-roles.js';
import type { ProviderInfo } from '../../../auth/sign-in/provider.js';
import { timeField } from '../time-fields.js';

/** The operator sets up a few providers. */
const providersExpected = 5;

const ProviderType = builder.objectRef<ProviderInfo>('SignInProvider').implement({
  interfaces: [NamedInterface],
  description: 'An identity provider that the operator has assigned to the account (OpenID Connect).',
  fields: (t) => ({
    providerId: t.exposeString('id', {
      nullable: false,
      description: 'Identifier of the provider, unique within the service.',
    }),
    name: t.exposeString('name', { nullable: false, description: 'Name of the provider on the sign-in page.' }),
    issuer: t.exposeString('issuer', { nullable: false, description: 'Issuer of the provider.' }),
    domains: t.stringList({
      nullable: { list: true, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'Email domains whose users it signs in, or null for all that belong to no other provider.',
      resolve: ({ domains }) => (domains === undefined ? null : [...domains]),
    }),
    createsUsersOf: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'Email domains for which the first sign-in creates the user.',
      resolve: ({ createsUsersOf }) => [...createsUsersOf],
    }),
    groupsClaim: t.exposeString('groupsClaim', {
      nullable: false,
      description: 'Claim with the names of the user’s groups.',
    }),
  }),
});

builder.objectField(AccountType, 'signInProviders', (t) =>
  t.field({
    type: [ProviderType],
    nullable: { list: true, items: false },
    complexity: { field: 1, multiplier: providersExpected },
    extensions: requiresScopes([['admin']]),
    description: 'Identity providers that the operator has assigned to the account. Needs an admin of the account.',
    resolve: ({ id }, _args, ctx) => listSignInProviders(ctx, id),
  }),
);

const GroupRoleType = builder.objectRef<GroupRole>('GroupRole').implement({
  interfaces: [NamedInterface],
  description: 'The role that members of a group of an identity provider get when they sign in.',
  fields: (t) => ({
    name: t.exposeString('name', {
      nullable: false,
      description: 'Name of the group, as in the claim of the provider.',
    }),
    provider: t.exposeString('provider', { nullable: false, description: 'Identifier of the identity provider.' }),
    workspaceName: t.string({
      description: 'Name of the workspace, or null for a role in the account.',
      resolve: ({ workspace }) => workspace?.name,
    }),
    role: t.expose('role', { type: RoleEnum, nullable: false, description: 'Role of the members of the group.' }),
    version: t.exposeInt('version', { nullable: false, description: versionDescription }),
    createdAt: t.field(timeField('createdAt', 'The time of creation.')),
    updatedAt: t.field(timeField('updatedAt', 'The time of the last update.')),
  }),
});

builder.objectField(AccountType, 'groupRoles', (t) =>
  t.connection(
    {
      type: GroupRoleType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Roles of groups of identity providers in the account. Needs an admin of the account.',
      args: { ...listOrderArgument, ...searchArgument('name and provider') },
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) => resolveList(args, info, (input) => listGroupRoles(ctx, id, input)),
    },
    { name: 'GroupRoleConnection', description: 'A page of group roles.' },
    { name: 'GroupRoleEdge', description: 'A group role and its cursor.' },
  ),
);

/** The input fields that name a group role. */
function groupFields(t: InputFields) {
  return {
    ...dryRunArgument(t),
    provider: t.string({ required: true, description: 'Identifier of the identity provider.' }),
    name: t.string({
      required: true,
      description: `Name of the group, exactly as in the claim of the provider (at most ${groupNameLengthMax} characters).`,
    }),
    workspace: t.string({ description: 'Name of the workspace. Omitted: the account itself.' }),
  };
}

addMutation('createGroupRole', {
  description:
    'Gives a role to a group of an identity provider. Its members get the role when they next sign in. Needs an ' +
    'admin of the account.',
  scopes: [['admin']],
  inputDescription: 'A group of an identity provider, and its role in the account or a workspace.',
  argumentDescription: 'The group and its role.',
  input: (t) => ({
    ...groupFields(t),
    role: t.field({ type: RoleEnum, required: true, description: 'Role of the members of the group.' }),
  }),
  run: async (ctx, input) => ({ groupRole: await createGroupRole(ctx, input) }),
  payloadDescription: 'The created group role',
  payload: (t) => ({ groupRole: t.expose('groupRole', nonNull(GroupRoleType, 'The created group role.')) }),
});

addMutation('updateGroupRole', {
  description:
    'Changes the role of a group of an identity provider. Its members get the new role when they next sign in. ' +
    'Needs an admin of the account.',
  scopes: [['admin']],
  inputDescription: 'The group role to update, and the new role.',
  input: (t) => ({
    ...groupFields(t),
    ...versionArgument(t),
    role: t.field({ type: RoleEnum, required: true, description: 'The new role.' }),
  }),
  run: async (ctx, input) => ({ groupRole: await updateGroupRole(ctx, input) }),
  payloadDescription: 'The updated group role',
  payload: (t) => ({ groupRole: t.expose('groupRole', nonNull(GroupRoleType, 'The updated group role.')) }),
});

addMutation('deleteGroupRole', {
  description:
    'Deletes the role of a group of an identity provider. Its members lose the role when they next sign in. Needs ' +
    'an admin of the account.',
  scopes: [['admin']],
  inputDescription: 'The group role to delete.',
  input: (t) => ({ ...groupFields(t), ...versionArgument(t) }),
  run: async (ctx, input) => ({ groupRole: await deleteGroupRole(ctx, input) }),
  payloadDescription: 'The deleted group role',
  payload: (t) => ({ groupRole: t.expose('groupRole', nonNull(GroupRoleType, 'The deleted group role.')) }),
});
