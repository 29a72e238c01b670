import type { ReachableAccount, ReachableWorkspace, Role } from '../../access/caller.js';
import type { RequestContext } from '../../context.js';
import { builder } from '../../graphql/builder.js';
import { enumValues } from '../../graphql/enums.js';

const roles: Record<Role, string> = {
  admin: 'May read and change everything there.',
  member: 'May read, and change what the scopes of the credential allow.',
};

const RoleEnum = builder.enumType('Role', {
  description: 'What a member may do. An account admin is an admin of each of its workspaces.',
  values: enumValues(roles),
});

export const AccountType = builder.node(builder.objectRef<ReachableAccount>('Account'), {
  description: 'Who pays: every workspace belongs to one account.',
  id: { resolve: (account) => account.id },
  loadManyWithoutCache: (ids, ctx) => ids.map((id) => ctx.caller.accounts.find((account) => account.id === id) ?? null),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Unique among all accounts.' }),
    displayName: t.exposeString('displayName', { description: 'Name for people.' }),
    plan: t.exposeString('plan', { nullable: false, description: 'Billing plan tier.' }),
    viewerRole: t.expose('role', { type: RoleEnum, nullable: false, description: "The caller's role in it." }),
  }),
});

export const WorkspaceType = builder.node(builder.objectRef<ReachableWorkspace>('Workspace'), {
  description: 'What holds resources. Names of resources are unique within one.',
  id: { resolve: (workspace) => workspace.id },
  loadManyWithoutCache: (ids, ctx) => {
    const workspaces = Array.from(ctx.caller.workspaces.values());
    return ids.map((id) => workspaces.find((workspace) => workspace.id === id) ?? null);
  },
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Unique among all workspaces.' }),
    displayName: t.exposeString('displayName', { description: 'Name for people.' }),
    account: t.expose('account', { type: AccountType, nullable: false, description: 'The account that pays for it.' }),
    viewerRole: t.expose('role', { type: RoleEnum, nullable: false, description: "The caller's role in it." }),
  }),
});

const PrincipalKindEnum = builder.enumType('PrincipalKind', {
  description: 'Who can hold a credential.',
  values: enumValues({ user: 'A person.', service_account: 'A program.' }),
});

const CredentialKindEnum = builder.enumType('CredentialKind', {
  description: 'How a request proves who is calling.',
  values: enumValues({ api_key: 'A long-lived API key.', access_token: 'An OAuth 2.0 access token.' }),
});

const ViewerType = builder.objectRef<RequestContext['caller']>('Viewer').implement({
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
      description: 'OAuth scopes of the credential. An API key has `admin`: its owner’s roles alone limit it.',
      resolve: ({ scopes }) => [...scopes],
    }),
    accounts: t.field({
      type: [AccountType],
      nullable: { list: false, items: false },
      description: 'Accounts within reach of the credential.',
      resolve: ({ accounts }) => accounts,
    }),
    workspaces: t.field({
      type: [WorkspaceType],
      nullable: { list: false, items: false },
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
