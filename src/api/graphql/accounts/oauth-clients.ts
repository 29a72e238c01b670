import type { StoredClient } from '../../../auth/stored-client.js';
import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { resultOf, resultType } from '../mutation.js';
import { resolveList, searchArgument, sortArgument } from '../resource-list.js';
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
  description: 'A program that trades its secret for access tokens, and acts for its owner in one account.',
  fields: (t) => ({
    name: t.exposeString('id', { nullable: false, description: 'Its `client_id`, unique among all clients.' }),
    displayName: t.exposeString('displayName', { nullable: false, description: 'Name for people.' }),
    scopes: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'What its tokens may do of what its owner may; `admin` is all of it.',
      resolve: ({ scope }) => scope.split(' '),
    }),
    owner: t.string({
      nullable: false,
      description: 'As whom it acts: a user’s email address, or the name of a service account.',
      resolve: ({ principal }) => principal?.name ?? '',
    }),
    ownerKind: t.field({
      type: PrincipalKindEnum,
      nullable: false,
      resolve: ({ principal }) => principal?.kind ?? 'service_account',
    }),
    ...confinementFields(t, 'one that reaches all of the account'),
    isManagedByOperator: t.boolean({
      nullable: false,
      description: 'Whether users sign in to it as well, so that the operator of the service alone changes it.',
      resolve: ({ grantTypes }) => grantTypes.some((grant) => grant !== 'client_credentials'),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was registered.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    previousSecretEndsAt: t.field({
      type: 'DateTime',
      description: 'Until when the secret before works beside the newest one; null when there was none before.',
      resolve: ({ previousSecretEndsAt }) => previousSecretEndsAt?.toISOString(),
    }),
    revokedAt: t.field({
      type: 'DateTime',
      description: 'When it was revoked; null while it works.',
      resolve: ({ revokedAt }) => revokedAt?.toISOString(),
    }),
  }),
});

builder.queryField('oauthClients', (t) =>
  t.connection(
    {
      type: ClientType,
      nullable: true,
      description:
        'OAuth clients that act for somebody of the account: all of them for its admin, those of a workspace for the ' +
        'admin of that, and one’s own. Needs the scope admin.',
      args: {
        ...sortArgument,
        ...searchArgument('name and displayName'),
        workspace: t.arg.string({ description: 'Only clients that are confined to the workspace of this name.' }),
      },
      complexity: connectionComplexity,
      resolve: (_root, { workspace, ...args }, ctx, info) =>
        resolveList(args, info, (input) => listClients(ctx, { ...input, workspace })),
    },
    { name: 'OauthClientConnection', description: 'A page of OAuth clients.' },
    { name: 'OauthClientEdge', description: 'One of a page of OAuth clients, with its cursor.' },
  ),
);

interface ClientPayload {
  oauthClient: StoredClient;
}

const nameDescription = 'Its `client_id`.';
const scopesDescription = 'What its tokens may do, such as `agents:list`; `admin` for all that its owner may.';
const secretDescription = 'Its secret. It is not shown again: keep it now.';

const CreateResult = resultType<ClientPayload & { secret: string }>(
  'CreateOauthClient',
  'What createOauthClient registered',
  (t) => ({
    oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false }),
    secret: t.exposeString('secret', { nullable: false, description: secretDescription }),
  }),
);

const CreateInput = builder.inputType('CreateOauthClientInput', {
  description: 'A new OAuth client, for the grant client_credentials.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description: `${nameDescription} Lowercase letters, digits and hyphens, at most 49; unique among all clients.`,
    }),
    displayName: t.string({ description: 'Name for people; its name when left out.' }),
    scopes: t.stringList({ required: true, description: scopesDescription }),
    workspace: t.string({
      description: 'Confines it to the workspace of this name; else it reaches all of the account.',
    }),
    owner: t.string({ description: 'Name of a service account as which it acts; as the caller when left out.' }),
  }),
});

builder.mutationField('createOauthClient', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description:
      'Registers an OAuth client that trades its secret for access tokens, for an admin of the account, or of the ' +
      'workspace that it is confined to. It may no more than the credential of the request. Needs the scope admin.',
    args: { input: t.arg({ type: CreateInput, required: true, description: 'What it is to be.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const { client, secret } = await createClient(ctx, input);
        return { oauthClient: client, secret };
      }),
  }),
);

const UpdateResult = resultType<ClientPayload>('UpdateOauthClient', 'What updateOauthClient changed', (t) => ({
  oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateOauthClientInput', {
  description: 'Which OAuth client to change, and what of it. What is absent stays.',
  fields: (t) => ({
    name: t.string({ required: true, description: nameDescription }),
    displayName: t.string({ description: 'Name for people.' }),
    scopes: t.stringList({ description: `${scopesDescription} All of them, in place of those before.` }),
  }),
});

builder.mutationField('updateOauthClient', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description:
      'Changes an OAuth client. Tokens that it has go on as they are, for 15 minutes at most. Needs the scope admin.',
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ oauthClient: await updateClient(ctx, input) })),
  }),
);

const RotateResult = resultType<ClientPayload & { secret: string }>(
  'RotateOauthClientSecret',
  'What rotateOauthClientSecret made',
  (t) => ({
    oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false }),
    secret: t.exposeString('secret', { nullable: false, description: secretDescription }),
  }),
);

const RotateInput = builder.inputType('RotateOauthClientSecretInput', {
  description: 'Which OAuth client gets another secret, and for how long both work.',
  fields: (t) => ({
    name: t.string({ required: true, description: nameDescription }),
    overlapSeconds: t.int({ description: 'How long the old secret goes on: 0 to 2592000; a day when left out.' }),
  }),
});

builder.mutationField('rotateOauthClientSecret', (t) =>
  t.field({
    type: RotateResult,
    nullable: false,
    description:
      'Gives an OAuth client another secret. Both work for a while; its tokens stay valid. One that acts as a user is ' +
      'given one by that user alone. Needs the scope admin.',
    args: { input: t.arg({ type: RotateInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const { client, secret } = await rotateClientSecret(ctx, input);
        return { oauthClient: client, secret };
      }),
  }),
);

const RevokeResult = resultType<ClientPayload>('RevokeOauthClient', 'What revokeOauthClient ended', (t) => ({
  oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false }),
}));

const RevokeInput = builder.inputType('RevokeOauthClientInput', {
  description: 'Which OAuth client to revoke.',
  fields: (t) => ({ name: t.string({ required: true, description: nameDescription }) }),
});

builder.mutationField('revokeOauthClient', (t) =>
  t.field({
    type: RevokeResult,
    nullable: false,
    description:
      'Revokes an OAuth client: it and its tokens stop working within one second. Its name stays taken. Needs the scope admin.',
    args: { input: t.arg({ type: RevokeInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ oauthClient: await revokeClient(ctx, input.name) })),
  }),
);

const DeleteResult = resultType<ClientPayload>('DeleteOauthClient', 'What deleteOauthClient removed', (t) => ({
  oauthClient: t.expose('oauthClient', { type: ClientType, nullable: false, description: 'As it was.' }),
}));

const DeleteInput = builder.inputType('DeleteOauthClientInput', {
  description: 'Which OAuth client to remove.',
  fields: (t) => ({ name: t.string({ required: true, description: nameDescription }) }),
});

builder.mutationField('deleteOauthClient', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Removes an OAuth client with its tokens. Its name is free again. Needs the scope admin.',
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ oauthClient: await deleteClient(ctx, input.name) })),
  }),
);
