import { builder } from '../builder.js';
import { dryRunArgument } from '../change-arguments.js';
import { KindEnum } from '../changes/change-filter.js';
import { addMutation } from '../mutation.js';
import { endAccess } from '../../../accounts/access-end.js';
import type { EndedAccess } from '../../../accounts/access-end.js';
import { listCreated } from '../../../accounts/created-resources.js';
import type { CreatedResources } from '../../../accounts/created-resources.js';

const CreatedType = builder.objectRef<CreatedResources>('CreatedResources').implement({
  description:
    'Resources of one kind that a user or service account created. Lists find them with the filter `createdBy`, and ' +
    '`changes` with the filter `actors`.',
  fields: (t) => ({
    kind: t.expose('kind', { type: KindEnum, nullable: false }),
    accountName: t.exposeString('account', { nullable: false, description: 'Name of the account.' }),
    workspaceName: t.exposeString('workspace', {
      description: 'Name of the workspace, or null for keys and webhooks of the account itself.',
    }),
    count: t.exposeInt('count', {
      nullable: false,
      description: 'Number of existing resources; of API keys, active ones.',
    }),
  }),
});

addMutation('endAccess', {
  description:
    'Ends everything that a member can do in the account within one second: memberships of the account and its ' +
    'workspaces, API keys, OAuth clients that act for the member, authorizations, tokens and invitations. ' +
    'Resources, webhooks and budgets stay. Needs an admin of the account, or with `everywhere` of the platform.',
  scopes: [['workspaces:remove']],
  inputDescription: 'The user or service account whose access ends.',
  argumentDescription: 'The user or service account, and how much ends.',
  input: (t) => ({
    ...dryRunArgument(t),
    name: t.string({ required: true, description: 'The user’s email address, or the name of the service account.' }),
    everywhere: t.boolean({
      description:
        'Ends the access to all accounts, ends browser sessions, and disables the user or service account (default: ' +
        'false). Needs an admin of the platform.',
    }),
    revokeCreatedKeys: t.boolean({
      description:
        'Also revokes active API keys of others that it created or rotated, and keys created with these (default: ' +
        'false). It has seen these keys. Keys with which others replaced them stay.',
    }),
  }),
  run: (ctx, input): Promise<EndedAccess> => endAccess(ctx, input),
  payloadDescription: 'The ended access',
  payload: (t) => ({
    name: t.exposeString('name', {
      nullable: false,
      description: 'The user’s email address, or the name of the service account.',
    }),
    isDisabled: t.exposeBoolean('isDisabled', {
      nullable: false,
      description: 'True if the user or service account was disabled.',
    }),
    memberships: t.exposeInt('memberships', {
      nullable: false,
      description: 'Number of ended memberships of accounts and workspaces.',
    }),
    apiKeys: t.exposeInt('apiKeys', { nullable: false, description: 'Number of revoked API keys.' }),
    createdApiKeys: t.exposeInt('createdApiKeys', {
      nullable: false,
      description: 'Number of revoked API keys of others (`revokeCreatedKeys`).',
    }),
    oauthClients: t.exposeInt('oauthClients', {
      nullable: false,
      description: 'Number of revoked OAuth clients that act for the user or service account.',
    }),
    authorizations: t.exposeInt('authorizations', {
      nullable: false,
      description: 'Number of ended authorizations of programs.',
    }),
    accessTokens: t.exposeInt('accessTokens', { nullable: false, description: 'Number of revoked access tokens.' }),
    invitations: t.exposeInt('invitations', {
      nullable: false,
      description: 'Number of revoked invitations to and from the user.',
    }),
    sessions: t.exposeInt('sessions', {
      nullable: false,
      description:
        'Number of ended browser sessions. 0 without `everywhere`: a session can be used for other accounts.',
    }),
    keptAccounts: t.exposeStringList('keptAccounts', {
      nullable: false,
      description:
        'Names of the accounts of which a disabled user stays a member, because they have no other admin. Empty ' +
        'without `everywhere`.',
    }),
    created: t.field({
      type: [CreatedType],
      nullable: { list: false, items: false },
      complexity: 100,
      description: 'The existing resources that the user or service account created, by kind and workspace.',
      resolve: ({ name, accountId }, _args, ctx) => listCreated(ctx, name, accountId),
    }),
  }),
});
