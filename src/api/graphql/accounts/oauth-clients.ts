import type { StoredClient } from '../../../auth/stored-client.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument, otherAccount, otherOwner } from '../change-arguments.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { addMutation, nonNull } from '../mutation.js';
import { secretRule, shownSecret } from '../shown-secret.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { confinementFields, confinementNames } from './confinement.js';
import { PrincipalKindEnum } from './accounts.js';
import {
  createClient,
  deleteClient,
  listClients,
  revokeClient,
  rotateClientSecret,
  updateClient,
} from '../../../accounts/oauth-clients.js';
import { optionalTimeField, timeField } from '../time-fields.js';

const GrantEnum = builder.enumType('OauthGrant', {
  description: 'A grant by which an OAuth client gets tokens.',
  values: enumValues({
    authorization_code: 'A user signs in and consents in a browser (RFC 6749, section 4.1).',
    client_credentials: 'The client acts as its owner (RFC 6749, section 4.4).',
    refresh_token: 'A refresh token replaces an expired access token (RFC 6749, section 6).',
    device_code: 'A user signs in on another device (RFC 8628).',
  }),
});

const ClientType = builder.objectRef<StoredClient>('OauthClient').implement({
  interfaces: [NamedInterface],
  description: 'A program that gets access tokens: for its owner in one account, or for the users who sign in to it.',
  fields: (t) => ({
    name: t.exposeString('id', { nullable: false, description: 'The `client_id`, unique among all clients.' }),
    displayName: t.exposeString('displayName', { nullable: false, description: 'Display name.' }),
    scopes: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description:
        'Scopes of the client’s tokens, which limit the roles of the owner. `admin` grants everything that the roles ' +
        'allow.',
      resolve: ({ scope }) => scope.split(' '),
    }),
    owner: t.string({
      nullable: false,
      description: 'The principal that the client acts as: a user’s email address, or the name of a service account.',
      resolve: ({ principal }) => principal?.name ?? '',
    }),
    ownerKind: t.field({
      type: PrincipalKindEnum,
      nullable: false,
      resolve: ({ principal }) => principal?.kind ?? 'service_account',
    }),
    ...confinementNames(t),
    ...confinementFields(t, 'a client that can access the whole account'),
    grants: t.expose('grantTypes', {
      type: [GrantEnum],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'Grants by which the client gets tokens.',
    }),
    redirectUris: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'Redirect URIs of the grant AUTHORIZATION_CODE.',
      resolve: ({ redirectUris }) => redirectUris,
    }),
    isPublic: t.exposeBoolean('isPublic', { nullable: false, description: 'True if the client has no secret.' }),
    isManagedByOperator: t.boolean({
      nullable: false,
      description: 'True if users sign in to the client. Only an admin of the platform can then change it.',
      resolve: ({ grantTypes }) => grantTypes.some((grant) => grant !== 'client_credentials'),
    }),
    createdAt: t.field(timeField('createdAt', 'The time the client was registered.')),
    previousSecretExpiresAt: t.field(
      optionalTimeField(
        'previousSecretEndsAt',
        'The time the previous secret stops working, or null if the secret was never rotated.',
      ),
    ),
    revokedAt: t.field(
      optionalTimeField('revokedAt', 'The time the client was revoked, or null if it was not revoked.'),
    ),
  }),
});

builder.queryField('oauthClients', (t) =>
  t.connection(
    {
      type: ClientType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description:
        'OAuth clients that the caller can manage: all clients of the account for an account admin, those of a ' +
        'workspace for an admin of the workspace, and the caller’s own. With `all`, the clients of all accounts and those ' +
        'to which users sign in.',
      args: {
        ...listOrderArgument,
        ...searchArgument('name and displayName'),
        all: t.arg.boolean({ description: 'Lists all clients (default: false). Needs an admin of the platform.' }),
        workspace: t.arg.string({ description: 'Only clients that are restricted to the workspace of this name.' }),
      },
      complexity: connectionComplexity,
      resolve: (_root, { all, workspace, ...args }, ctx, info) =>
        resolveList(args, info, (input) => listClients(ctx, { ...input, workspace, isOfAll: all === true })),
    },
    { name: 'OauthClientConnection', description: 'A page of OAuth clients.' },
    { name: 'OauthClientEdge', description: 'An OAuth client and its cursor.' },
  ),
);

const nameDescription = 'The `client_id`.';
const scopesDescription =
  'Scopes of the client’s tokens, such as `agents:list`. `admin` grants everything that the roles of the owner allow.';
const secretDescription = `The client secret. Empty for a public client. ${secretRule}`;
const redirectUrisDescription = 'Redirect URIs of the grant AUTHORIZATION_CODE, which requires at least one.';

addMutation('createOauthClient', {
  description:
    'Registers an OAuth client that exchanges its secret for access tokens. Needs an admin of the account, or ' +
    'of the workspace that the client is restricted to. The client cannot have more permissions than the ' +
    'credential of the request. An admin of the platform can create clients for any account, and clients to which users ' +
    'sign in.',
  scopes: [['admin']],
  inputDescription: 'A new OAuth client.',
  argumentDescription: 'The properties of the client.',
  input: (t) => ({
    ...dryRunArgument(t),
    name: t.string({
      required: true,
      description: `${nameDescription} Lowercase letters, digits and hyphens, at most 49; unique among all clients.`,
    }),
    displayName: t.string({ description: 'Display name (default: the name).' }),
    scopes: t.stringList({ required: true, description: scopesDescription }),
    account: t.string({ description: otherAccount }),
    workspace: t.string({
      description: 'Name of the workspace to restrict the client to. Omitted: the client can access the whole account.',
    }),
    owner: t.string({
      description: `Name of the service account that the client acts as (default: the caller). ${otherOwner}`,
    }),
    grants: t.field({
      type: [GrantEnum],
      description: 'Grants of the client (default: CLIENT_CREDENTIALS). Others need an admin of the platform.',
    }),
    redirectUris: t.stringList({ description: redirectUrisDescription }),
    isPublic: t.boolean({
      description: 'Creates a client without a secret, for programs on a user’s machine (default: false).',
    }),
  }),
  run: async (ctx, input) => {
    const { client, secret } = await createClient(ctx, input);
    return { oauthClient: client, secret: shownSecret(input, secret) };
  },
  payloadDescription: 'The created OAuth client',
  payload: (t) => ({
    oauthClient: t.expose('oauthClient', nonNull(ClientType)),
    secret: t.exposeString('secret', { nullable: false, description: secretDescription }),
  }),
});

addMutation('updateOauthClient', {
  description:
    'Updates an OAuth client. Tokens that were already issued keep their scopes until they expire (at most 15 ' +
    'minutes).',
  scopes: [['admin']],
  inputDescription: 'The OAuth client to update, and its new values. An absent field keeps its value.',
  argumentDescription: 'The OAuth client to update, and its new values.',
  input: (t) => ({
    ...dryRunArgument(t),
    name: t.string({ required: true, description: nameDescription }),
    displayName: t.string({ description: 'Display name.' }),
    scopes: t.stringList({ description: `${scopesDescription} Replaces all scopes.` }),
    redirectUris: t.stringList({ description: `${redirectUrisDescription} Replaces all redirect URIs.` }),
  }),
  run: async (ctx, input) => ({ oauthClient: await updateClient(ctx, input) }),
  payloadDescription: 'The updated OAuth client',
  payload: (t) => ({ oauthClient: t.expose('oauthClient', nonNull(ClientType, 'The updated OAuth client.')) }),
});

addMutation('rotateOauthClientSecret', {
  description:
    'Gives an OAuth client a new secret. Both secrets work during the overlap; issued tokens stay valid. Only ' +
    'the user can rotate the secret of a client that acts as that user.',
  scopes: [['admin']],
  inputDescription: 'The OAuth client to give a new secret, and the time that both secrets stay valid.',
  argumentDescription: 'The OAuth client, and the overlap.',
  input: (t) => ({
    ...dryRunArgument(t),
    name: t.string({ required: true, description: nameDescription }),
    overlapSeconds: t.int({
      description: 'Time that the old secret stays valid (seconds, 0 to 2592000; default: one day).',
    }),
  }),
  run: async (ctx, input) => {
    const { client, secret } = await rotateClientSecret(ctx, input);
    return { oauthClient: client, secret: shownSecret(input, secret) };
  },
  payloadDescription: 'The OAuth client and its new secret',
  payload: (t) => ({
    oauthClient: t.expose('oauthClient', nonNull(ClientType)),
    secret: t.exposeString('secret', { nullable: false, description: secretDescription }),
  }),
});

addMutation('revokeOauthClient', {
  description:
    'Revokes an OAuth client: the client and its tokens stop working within one second. The name stays reserved.',
  scopes: [['admin']],
  inputDescription: 'The OAuth client to revoke.',
  input: (t) => ({ ...dryRunArgument(t), name: t.string({ required: true, description: nameDescription }) }),
  run: async (ctx, input) => ({ oauthClient: await revokeClient(ctx, input) }),
  payloadDescription: 'The revoked OAuth client',
  payload: (t) => ({ oauthClient: t.expose('oauthClient', nonNull(ClientType)) }),
});

addMutation('deleteOauthClient', {
  description: 'Deletes an OAuth client and its tokens. The name becomes available again.',
  scopes: [['admin']],
  inputDescription: 'The OAuth client to delete.',
  input: (t) => ({ ...dryRunArgument(t), name: t.string({ required: true, description: nameDescription }) }),
  run: async (ctx, input) => ({ oauthClient: await deleteClient(ctx, input) }),
  payloadDescription: 'The deleted OAuth client',
  payload: (t) => ({ oauthClient: t.expose('oauthClient', nonNull(ClientType, 'The deleted OAuth client.')) }),
});
