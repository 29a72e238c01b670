import type { ReachableAccount, ReachableWorkspace, Role } from '../../../auth/caller.js';
import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { resourceIdOf } from '../global-id.js';
import { ResourceInterface, versionDescription } from '../resource.js';
import { resolveList, searchArgument, sortArgument } from '../resource-list.js';
import {
  findReachableAccounts,
  findReachableWorkspaces,
  getReachableAccount,
  getReachableWorkspace,
  listReachableAccounts,
  listReachableWorkspaces,
} from '../../../accounts/reachable.js';

const roles: Record<Role, string> = {
  admin: 'May read and change everything there, and says who else may.',
  member: 'May read, and change what the scopes of the credential allow.',
  viewer: 'May read, and change nothing.',
};

export const RoleEnum = builder.enumType('Role', {
  description: 'What somebody may do. An admin or viewer of an account is one of each of its workspaces.',
  values: enumValues(roles),
});

export const AccountType = builder.node(builder.objectRef<ReachableAccount>('Account'), {
  description: 'Who pays: every workspace belongs to one account.',
  id: { resolve: (account) => account.id },
  loadManyWithoutCache: (ids, ctx) => findReachableAccounts(ctx, ids),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Unique among all accounts.' }),
    displayName: t.exposeString('displayName', { description: 'Name for people.' }),
    plan: t.exposeString('plan', { nullable: false, description: 'Billing plan tier.' }),
    viewerRole: t.expose('role', { type: RoleEnum, nullable: false, description: "The caller's role in it." }),
    version: t.exposeInt('version', { nullable: false, description: versionDescription }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was made.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was changed last.',
      resolve: ({ updatedAt }) => updatedAt.toISOString(),
    }),
  }),
});

export const WorkspaceType = builder.node(builder.objectRef<ReachableWorkspace>('Workspace'), {
  description: 'What holds resources. Names of resources are unique within one.',
  id: { resolve: (workspace) => workspace.id },
  loadManyWithoutCache: (ids, ctx) => findReachableWorkspaces(ctx, ids),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Unique among all workspaces.' }),
    displayName: t.exposeString('displayName', { description: 'Name for people.' }),
    account: t.expose('account', { type: AccountType, nullable: false, description: 'The account that pays for it.' }),
    viewerRole: t.expose('role', { type: RoleEnum, nullable: false, description: "The caller's role in it." }),
    version: t.exposeInt('version', { nullable: false, description: versionDescription }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was made.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was changed last.',
      resolve: ({ updatedAt }) => updatedAt.toISOString(),
    }),
  }),
});

/** The field of what is in a workspace that leads to it. */
export const workspaceEdge = {
  type: WorkspaceType,
  nullable: false,
  description: 'The workspace that it is in. Needs no scope.',
  resolve: ({ workspace }: { workspace: ReachableWorkspace }) => workspace,
} as const;

builder.interfaceField(ResourceInterface, 'workspace', (t) => t.field(workspaceEdge));

export const PrincipalKindEnum = builder.enumType('PrincipalKind', {
  description: 'Who can hold a credential.',
  values: enumValues({ user: 'A person.', service_account: 'A program.', executor: 'A program of the platform.' }),
});

const CredentialKindEnum = builder.enumType('CredentialKind', {
  description: 'How a request proves who is calling.',
  values: enumValues({
    api_key: 'A long-lived API key.',
    access_token: 'An OAuth 2.0 access token.',
    executor_key: 'The key of an executor of the platform.',
    session: 'A browser where somebody signed in, on the pages of this service alone.',
  }),
});

export const ViewerType = builder.objectRef<RequestContext['caller']>('Viewer').implement({
  description: 'Who is calling, and what the credential of this request may do.',
  fields: (t) => ({
    name: t.string({
      nullable: false,
      description: 'A user’s email address, or the name of a service account.',
      resolve: ({ principal }) => principal.name,
    }),
    displayName: t.string({ description: 'Name for people.', resolve: ({ principal }) => principal.displayName }),
    kind: t.field({ type: PrincipalKindEnum, nullable: false, resolve: ({ principal }) => principal.kind }),
    credential: t.field({ type: CredentialKindEnum, nullable: false, resolve: ({ credential }) => credential.kind }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the credential ends; null when it has no end.',
      resolve: ({ credential }) => credential.expiresAt?.toISOString(),
    }),
    scopes: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'What the credential may do of what the roles of its owner allow; `admin` is all of it.',
      resolve: ({ scopes }) => [...scopes],
    }),
    accounts: t.field({
      type: [AccountType],
      nullable: { list: false, items: false },
      complexity: (_args, { caller }) => ({ field: 1, multiplier: caller.accounts.length }),
      description: 'Accounts within reach of the credential.',
      resolve: ({ accounts }) => accounts,
    }),
    workspaces: t.field({
      type: [WorkspaceType],
      nullable: { list: false, items: false },
      complexity: (_args, { caller }) => ({ field: 1, multiplier: caller.workspaces.size }),
      description: 'Workspaces within reach of the credential, by name.',
      resolve: ({ workspaces }) => [...workspaces.values()],
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: ViewerType,
    nullable: false,
    description: 'Who am I, and what may I do? Needs no scope.',
    resolve: (_root, _args, ctx) => ctx.caller,
  }),
);

const frameArguments = { ...sortArgument, ...searchArgument('name and displayName') };

builder.queryField('accounts', (t) =>
  t.connection(
    {
      type: AccountType,
      nullable: true,
      description: 'Accounts within reach of the credential. Needs the scope admin.',
      args: frameArguments,
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) => resolveList(args, info, (input) => listReachableAccounts(ctx, input)),
    },
    { name: 'AccountConnection', description: 'A page of accounts.' },
    { name: 'AccountEdge', description: 'One of a page of accounts, with its cursor.' },
  ),
);

builder.queryField('account', (t) =>
  t.field({
    type: AccountType,
    nullable: true,
    description:
      'One account, by its id or by its name. Any that the caller does not belong to is refused alike. Needs the scope admin.',
    args: {
      id: t.arg.id({ description: 'Its global id; unless the name is given.' }),
      name: t.arg.string({ description: 'Its name; unless the id is given.' }),
    },
    resolve: (_root, { id, name }, ctx) =>
      getReachableAccount(ctx, { id: id == null ? undefined : resourceIdOf('Account', id), name: name ?? undefined }),
  }),
);

const workspaceConnection = builder.connectionObject(
  { type: WorkspaceType, name: 'WorkspaceConnection', description: 'A page of workspaces.' },
  { name: 'WorkspaceEdge', description: 'One of a page of workspaces, with its cursor.' },
);

builder.queryField('workspaces', (t) =>
  t.connection(
    {
      type: WorkspaceType,
      nullable: true,
      description: 'Workspaces within reach of the credential. Needs the scope workspaces:list.',
      args: frameArguments,
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) => resolveList(args, info, (input) => listReachableWorkspaces(ctx, input)),
    },
    workspaceConnection,
  ),
);

builder.objectField(AccountType, 'workspaces', (t) =>
  t.connection(
    {
      type: WorkspaceType,
      nullable: true,
      description: 'Its workspaces within reach of the credential. Needs the scope workspaces:list.',
      args: frameArguments,
      complexity: connectionComplexity,
      resolve: ({ id }, args, ctx, info) =>
        resolveList(args, info, (input) => listReachableWorkspaces(ctx, { ...input, accountId: id })),
    },
    workspaceConnection,
  ),
);

builder.queryField('workspace', (t) =>
  t.field({
    type: WorkspaceType,
    description: 'One workspace by its name; null when there is none within reach. Needs the scope workspaces:get.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }) },
    resolve: (_root, { name }, ctx) => getReachableWorkspace(ctx, name),
  }),
);
