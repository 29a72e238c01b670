import { isPlatformAdmin } from '../../../auth/authorize.js';
import type { AccessibleAccount, AccessibleWorkspace, Role } from '../../../auth/caller.js';
import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { resourceIdOf } from '../global-id.js';
import { ResourceInterface, versionDescription } from '../resource.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import {
  findAccessibleAccounts,
  findAccessibleWorkspaces,
  getAccessibleAccount,
  getAccessibleWorkspace,
  listAccessibleWorkspaces,
  listAccounts,
} from '../../../accounts/accessible.js';
import { timeField } from '../time-fields.js';

const roles: Record<Role, string> = {
  admin: 'Can read and change everything, and manage members.',
  member: 'Can read, and make the changes that the scopes of the credential allow.',
  viewer: 'Can read, but change nothing.',
};

export const RoleEnum = builder.enumType('Role', {
  description:
    'The permissions of a member. An admin or viewer of an account has the same role in each of its workspaces.',
  values: enumValues(roles),
});

export const AccountType = builder.node(builder.objectRef<AccessibleAccount>('Account'), {
  interfaces: [NamedInterface],
  description: 'A tenant that is billed for its workspaces. Every workspace belongs to one account.',
  id: { resolve: (account) => account.id },
  loadManyWithoutCache: (ids, ctx) => findAccessibleAccounts(ctx, ids),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Unique among all accounts.' }),
    displayName: t.exposeString('displayName', { description: 'Display name, or null if there is none.' }),
    plan: t.exposeString('plan', { nullable: false, description: 'Billing plan tier.' }),
    requiredSignInProvider: t.exposeString('requiredSignInProvider', {
      description:
        'Identifier of the identity provider that users must sign in with, or null for any sign-in. API keys and OAuth ' +
        'clients need no sign-in.',
    }),
    viewerRole: t.expose('role', {
      type: RoleEnum,
      nullable: false,
      description: "The caller's role. ADMIN for an admin of the platform who manages the account and is not a member.",
    }),
    version: t.exposeInt('version', { nullable: false, description: versionDescription }),
    createdAt: t.field(timeField('createdAt', 'The time of creation.')),
    updatedAt: t.field(timeField('updatedAt', 'The time of the last update.')),
  }),
});

export const WorkspaceType = builder.node(builder.objectRef<AccessibleWorkspace>('Workspace'), {
  interfaces: [NamedInterface],
  description: 'A container for resources. Resource names are unique within a workspace.',
  id: { resolve: (workspace) => workspace.id },
  loadManyWithoutCache: (ids, ctx) => findAccessibleWorkspaces(ctx, ids),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Unique among all workspaces.' }),
    displayName: t.exposeString('displayName', { description: 'Display name, or null if there is none.' }),
    account: t.expose('account', {
      type: AccountType,
      nullable: false,
      description: 'The account that is billed for the workspace.',
    }),
    viewerRole: t.expose('role', { type: RoleEnum, nullable: false, description: "The caller's role." }),
    version: t.exposeInt('version', { nullable: false, description: versionDescription }),
    createdAt: t.field(timeField('createdAt', 'The time of creation.')),
    updatedAt: t.field(timeField('updatedAt', 'The time of the last update.')),
  }),
});

/** The field `workspace` of a resource. */
export const workspaceEdge = {
  type: WorkspaceType,
  nullable: false,
  description: 'The workspace that contains the resource.',
  resolve: ({ workspace }: { workspace: AccessibleWorkspace }) => workspace,
} as const;

builder.interfaceField(ResourceInterface, 'workspace', (t) => t.field(workspaceEdge));

export const PrincipalKindEnum = builder.enumType('PrincipalKind', {
  description: 'The kind of principal that owns a credential.',
  values: enumValues({ user: 'A person.', service_account: 'A program.', executor: 'An executor of the platform.' }),
});

const CredentialKindEnum = builder.enumType('CredentialKind', {
  description: 'The kind of credential that authenticates a request.',
  values: enumValues({
    api_key: 'A long-lived API key.',
    access_token: 'An OAuth 2.0 access token.',
    executor_key: 'The key of an executor of the platform.',
    session: 'A browser session. Accepted only on the pages of this service.',
  }),
});

export const ViewerType = builder.objectRef<RequestContext['caller']>('Viewer').implement({
  interfaces: [NamedInterface],
  description: 'The caller, and the permissions of the credential of this request.',
  fields: (t) => ({
    name: t.string({
      nullable: false,
      description: 'A user’s email address, or the name of a service account.',
      resolve: ({ principal }) => principal.name,
    }),
    displayName: t.string({
      description: 'Display name, or null if there is none.',
      resolve: ({ principal }) => principal.displayName,
    }),
    kind: t.field({ type: PrincipalKindEnum, nullable: false, resolve: ({ principal }) => principal.kind }),
    credential: t.field({ type: CredentialKindEnum, nullable: false, resolve: ({ credential }) => credential.kind }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'The time the credential expires, or null if it does not expire.',
      resolve: ({ credential }) => credential.expiresAt?.toISOString(),
    }),
    scopes: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description:
        'Scopes of the credential, which limit the roles of its owner. `admin` grants everything that the roles allow.',
      resolve: ({ scopes }) => [...scopes],
    }),
    isPlatformAdmin: t.boolean({
      nullable: false,
      description: 'True if the caller is an admin of the platform, and its credential has the scope `admin`.',
      resolve: (caller, _args, ctx) => caller.scopes.has('admin') && isPlatformAdmin(ctx),
    }),
    accounts: t.field({
      type: [AccountType],
      nullable: { list: false, items: false },
      complexity: (_args, { caller }) => ({ field: 1, multiplier: caller.accounts.length }),
      description: 'Accounts that the credential can access.',
      resolve: ({ accounts }) => accounts,
    }),
    workspaces: t.field({
      type: [WorkspaceType],
      nullable: { list: false, items: false },
      complexity: (_args, { caller }) => ({ field: 1, multiplier: caller.workspaces.size }),
      description: 'Workspaces that the credential can access, ordered by name.',
      resolve: ({ workspaces }) => [...workspaces.values()],
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerType,
    nullable: false,
    description: 'The caller and the permissions of the credential.',
    resolve: (_root, _args, ctx) => ctx.caller,
  }),
);

const frameArguments = { ...listOrderArgument, ...searchArgument('name and displayName') };

builder.queryField('accounts', (t) =>
  t.connection(
    {
      type: AccountType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Accounts that the credential can access, or with `all` all accounts of the service.',
      args: {
        ...frameArguments,
        all: t.arg.boolean({
          description: 'Lists all accounts of the service (default: false). Needs an admin of the platform.',
        }),
      },
      complexity: connectionComplexity,
      resolve: (_root, { all, ...args }, ctx, info) =>
        resolveList(args, info, (input) => listAccounts(ctx, { ...input, isOfAll: all === true })),
    },
    { name: 'AccountConnection', description: 'A page of accounts.' },
    { name: 'AccountEdge', description: 'An account and its cursor.' },
  ),
);

builder.queryField('account', (t) =>
  t.field({
    type: AccountType,
    nullable: true,
    extensions: requiresScopes([['admin']]),
    description:
      'An account by id or by name. Returns the same error for an account that does not exist and for one that ' +
      'the caller is not a member of.',
    args: {
      id: t.arg.id({ description: 'Global ID of the account. Required if `name` is omitted.' }),
      name: t.arg.string({ description: 'Name of the account. Required if `id` is omitted.' }),
    },
    resolve: (_root, { id, name }, ctx) =>
      getAccessibleAccount(ctx, { id: id == null ? undefined : resourceIdOf('Account', id), name: name ?? undefined }),
  }),
);

const workspaceConnection = builder.connectionObject(
  { type: WorkspaceType, name: 'WorkspaceConnection', description: 'A page of workspaces.' },
  { name: 'WorkspaceEdge', description: 'A workspace and its cursor.' },
);

builder.queryField('workspaces', (t) =>
  t.connection(
    {
      type: WorkspaceType,
      nullable: true,
      extensions: requiresScopes([['workspaces:list']]),
      description: 'Workspaces that the credential can access.',
      args: frameArguments,
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) => resolveList(args, info, (input) => listAccessibleWorkspaces(ctx, input)),
    },
    workspaceConnection,
  ),
);

builder.objectField(AccountType, 'workspaces', (t) =>
  t.connection(
    {
      type: WorkspaceType,
      nullable: true,
      extensions: requiresScopes([['workspaces:list']]),
      description: 'Workspaces of the account that the credential can access.',
      args: frameArguments,
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) =>
        resolveList(args, info, (input) => listAccessibleWorkspaces(ctx, { ...input, accountId: id })),
    },
    workspaceConnection,
  ),
);

builder.queryField('workspace', (t) =>
  t.field({
    type: WorkspaceType,
    extensions: requiresScopes([['workspaces:get']]),
    description: 'A workspace by name, or null if the credential can access no workspace of this name.',
    args: { name: t.arg.string({ required: true, description: 'Name of the workspace.' }) },
    resolve: (_root, { name }, ctx) => getAccessibleWorkspace(ctx, name),
  }),
);
