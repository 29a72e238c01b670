import type { StoredClient } from '../../../auth/stored-client.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument } from '../change-arguments.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { resultOf, resultType } from '../mutation.js';
import { secretRule, shownSecret } from '../shown-secret.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { confinementFields } from './confinement.js';
import { PrincipalKindEnum } from './accounts.js';
import {
  createClient,
  deleteClient,
  listClients,
  revokeClient,
  rotateClientSecret,
  updateClient,
} from '../../../accounts/oauth-clients.js';

const ClientType = builder.objectRef<StoredClient>('OauthClient').implement({
  interfaces: [NamedInterface],
  description: 'A program that exchanges its secret for access tokens, and acts for its owner in one account.',
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
    ...confinementFields(t, 'a client that can access the whole account'),
    isManagedByOperator: t.boolean({
      nullable: false,
      description: 'True if users also sign in to the client. Only the operator of the service can then change it.',
      resolve: ({ grantTypes }) => grantTypes.some((grant) => grant !== 'client_credentials'),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'The time the client was registered.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    previousSecretExpiresAt: t.field({
      type: 'DateTime',
      description: 'The time the previous secret stops working, or null if the secret was never rotated.',
      resolve: ({ previousSecretEndsAt }) => previousSecretEndsAt?.toISOString(),
    }),
    revokedAt: t.field({
      type: 'DateTime',
      description: 'The time the client was revoked, or null if it was not revoked.',
      resolve: ({ revokedAt }) => revokedAt?.toISOString(),
    }),
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
        'workspace for an admin of the workspace, and the caller’s own.',
      args: {
        ...listOrderArgument,
        ...searchArgument('name and displayName'),
        workspace: t.arg.string({ description: 'Only clients that are restricted to the workspace of this name.' }),
      },
      complexity: connectionComplexity,
      resolve: (_root, { workspace, ...args }, ctx, info) =>
        resolveList(args, info, (input) => listClients(ctx, { ...input, workspace })),
    },
    { name: 'OauthClientConnection', description: 'A page of OAuth clients.' },
    { name: 'OauthClientEdge', description: 'An OAuth client and its cursor.' },
  ),
);

interface ClientPayload {
  oauthClient: StoredClient;
}

const nameDescription = 'The `client_id`.';
const scopesDescription =
  'Scopes of the client’s tokens, such as `agents:list`. `admin` grants everything that the roles of the owner allow.';
const secretDescription = `The client secret. ${secretRule}`;

const CreateResult = resultType<ClientPayload & { secret: string }>(
  'CreateOauthClient',
  'The created OAuth client',
  (t) => ({
    oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false }),
    secret: t.exposeString('secret', { nullable: false, description: secretDescription }),
  }),
);

const CreateInput = builder.inputType('CreateOauthClientInput', {
  description: 'A new OAuth client, for the grant client_credentials.',
  fields: (t) => ({
    ...dryRunArgument(t),
    name: t.string({
      required: true,
      description: `${nameDescription} Lowercase letters, digits and hyphens, at most 49; unique among all clients.`,
    }),
    displayName: t.string({ description: 'Display name (default: the name).' }),
    scopes: t.stringList({ required: true, description: scopesDescription }),
    workspace: t.string({
      description: 'Name of the workspace to restrict the client to. Omitted: the client can access the whole account.',
    }),
    owner: t.string({ description: 'Name of the service account that the client acts as (default: the caller).' }),
  }),
});

builder.mutationField('createOauthClient', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description:
      'Registers an OAuth client that exchanges its secret for access tokens. Needs an admin of the account, or ' +
      'of the workspace that the client is restricted to. The client cannot have more permissions than the ' +
      'credential of the request.',
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The properties of the client.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const { client, secret } = await createClient(ctx, input);
        return { oauthClient: client, secret: shownSecret(input, secret) };
      }),
  }),
);

const UpdateResult = resultType<ClientPayload>('UpdateOauthClient', 'The updated OAuth client', (t) => ({
  oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false, description: 'The updated OAuth client.' }),
}));

const UpdateInput = builder.inputType('UpdateOauthClientInput', {
  description: 'The OAuth client to update, and its new values. An absent field keeps its value.',
  fields: (t) => ({
    ...dryRunArgument(t),
    name: t.string({ required: true, description: nameDescription }),
    displayName: t.string({ description: 'Display name.' }),
    scopes: t.stringList({ description: `${scopesDescription} Replaces all scopes.` }),
  }),
});

builder.mutationField('updateOauthClient', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description:
      'Updates an OAuth client. Tokens that were already issued keep their scopes until they expire (at most 15 ' +
      'minutes).',
    args: {
      input: t.arg({
        type: UpdateInput,
        required: true,
        description: 'The OAuth client to update, and its new values.',
      }),
    },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ oauthClient: await updateClient(ctx, input) })),
  }),
);

const RotateResult = resultType<ClientPayload & { secret: string }>(
  'RotateOauthClientSecret',
  'The OAuth client and its new secret',
  (t) => ({
    oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false }),
    secret: t.exposeString('secret', { nullable: false, description: secretDescription }),
  }),
);

const RotateInput = builder.inputType('RotateOauthClientSecretInput', {
  description: 'The OAuth client to give a new secret, and the time that both secrets stay valid.',
  fields: (t) => ({
    ...dryRunArgument(t),
    name: t.string({ required: true, description: nameDescription }),
    overlapSeconds: t.int({
      description: 'Time that the old secret stays valid (seconds, 0 to 2592000; default: one day).',
    }),
  }),
});

builder.mutationField('rotateOauthClientSecret', (t) =>
  t.field({
    type: RotateResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description:
      'Gives an OAuth client a new secret. Both secrets work during the overlap; issued tokens stay valid. Only ' +
      'the user can rotate the secret of a client that acts as that user.',
    args: { input: t.arg({ type: RotateInput, required: true, description: 'The OAuth client, and the overlap.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const { client, secret } = await rotateClientSecret(ctx, input);
        return { oauthClient: client, secret: shownSecret(input, secret) };
      }),
  }),
);

const RevokeResult = resultType<ClientPayload>('RevokeOauthClient', 'The revoked OAuth client', (t) => ({
  oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false }),
}));

const RevokeInput = builder.inputType('RevokeOauthClientInput', {
  description: 'The OAuth client to revoke.',
  fields: (t) => ({ ...dryRunArgument(t), name: t.string({ required: true, description: nameDescription }) }),
});

builder.mutationField('revokeOauthClient', (t) =>
  t.field({
    type: RevokeResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description:
      'Revokes an OAuth client: the client and its tokens stop working within one second. The name stays ' +
      'reserved.',
    args: { input: t.arg({ type: RevokeInput, required: true, description: 'The OAuth client to revoke.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ oauthClient: await revokeClient(ctx, input) })),
  }),
);

const DeleteResult = resultType<ClientPayload>('DeleteOauthClient', 'The deleted OAuth client', (t) => ({
  oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false, description: 'The deleted OAuth client.' }),
}));

const DeleteInput = builder.inputType('DeleteOauthClientInput', {
  description: 'The OAuth client to delete.',
  fields: (t) => ({ ...dryRunArgument(t), name: t.string({ required: true, description: nameDescription }) }),
});

builder.mutationField('deleteOauthClient', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    extensions: requiresScopes([['admin']]),
    description: 'Deletes an OAuth client and its tokens. The name becomes available again.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'The OAuth client to delete.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ oauthClient: await deleteClient(ctx, input) })),
  }),
);
