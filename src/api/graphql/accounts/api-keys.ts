import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { resourceIdOf } from '../global-id.js';
import { resultOf, resultType } from '../mutation.js';
import { resolveList, searchArgument, sortArgument } from '../resource-list.js';
import {
  apiKeyStatus,
  apiKeyStatuses,
  createApiKey,
  findApiKeys,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from '../../../accounts/api-keys.js';
import type { StoredApiKey } from '../../../auth/stored-api-key.js';
import { confinementFields } from './confinement.js';
import { PrincipalKindEnum } from './accounts.js';

const ApiKeyStatusEnum = builder.enumType('ApiKeyStatus', {
  description: 'Whether an API key works.',
  values: enumValues(apiKeyStatuses),
});

const ApiKeyType = builder.node(builder.objectRef<StoredApiKey>('ApiKey'), {
  description: 'A long-lived credential. The key itself is shown once, when it is made. Needs the scope apiKey:list.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, ctx) => findApiKeys(ctx, ids),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'What it is for.' }),
    prefix: t.exposeString('prefix', { nullable: false, description: 'Its first characters, to tell it from others.' }),
    status: t.field({
      type: ApiKeyStatusEnum,
      nullable: false,
      resolve: (key, _args, ctx) => apiKeyStatus(key, ctx.now()),
    }),
    scopes: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'What it may do of what its owner may; `admin` is all of it.',
      resolve: ({ scope }) => scope.split(' '),
    }),
    owner: t.string({
      nullable: false,
      description: 'As whom it acts: a user’s email address, or the name of a service account.',
      resolve: ({ principal }) => principal.name,
    }),
    ownerKind: t.field({ type: PrincipalKindEnum, nullable: false, resolve: ({ principal }) => principal.kind }),
    ...confinementFields(t, 'one that reaches all of the account'),
    addressRanges: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'From where it works, such as 203.0.113.0/24; from anywhere when there are none.',
      resolve: ({ addressRanges }) => addressRanges,
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it was made.',
      resolve: ({ createdAt }) => createdAt.toISOString(),
    }),
    createdBy: t.exposeString('createdBy', {
      description: 'Name of the user or service account that created it; null for the operator of the service.',
    }),
    createdWith: t.exposeString('createdWith', {
      description: 'Kind and name of the credential that created it, such as "api_key wcp_ab12cd"; null if unknown.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When it ends; null for one that does not.',
      resolve: ({ expiresAt }) => expiresAt?.toISOString(),
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      description: 'Its last use, to the minute; null before the first.',
      resolve: ({ lastUsedAt }) => lastUsedAt?.toISOString(),
    }),
    revokedAt: t.field({
      type: 'DateTime',
      description: 'When it was revoked.',
      resolve: ({ revokedAt }) => revokedAt?.toISOString(),
    }),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.connection(
    {
      type: ApiKeyType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description:
        'API keys: those of the account for its admin, those of a workspace for the admin of that, and one’s own. ' +
        'Needs the scope apiKey:list.',
      args: {
        ...sortArgument,
        ...searchArgument('name and prefix'),
        workspace: t.arg.string({ description: 'Only keys that are confined to the workspace of this name.' }),
        owner: t.arg.string({ description: 'Only keys that act as the user or service account of this name.' }),
        status: t.arg({ type: ApiKeyStatusEnum, description: 'Only keys of this status.' }),
      },
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) => {
        const { workspace, owner, status } = args;
        return resolveList(args, info, (input) => listApiKeys(ctx, { ...input, workspace, owner, status }));
      },
    },
    { name: 'ApiKeyConnection', description: 'A page of API keys.' },
    { name: 'ApiKeyEdge', description: 'One of a page of API keys, with its cursor.' },
  ),
);

interface Issued {
  apiKey: StoredApiKey;
  secret: string;
}

const CreateResult = resultType<Issued>('CreateApiKey', 'What createApiKey made', (t) => ({
  apiKey: t.expose('apiKey', { type: ApiKeyType, nullable: false }),
  secret: t.exposeString('secret', { nullable: false, description: 'The key. It is not shown again: keep it now.' }),
}));

const expiryRule =
  'null: never, where the service allows it. It ends with the credential of the request at the latest. With an access ' +
  'token of a user: a day from now at the latest, unless the user signed in within the last hour.';

const CreateInput = builder.inputType('CreateApiKeyInput', {
  description: 'A new API key.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'What it is for; 1 to 63 characters.' }),
    scopes: t.stringList({
      required: true,
      description: 'What it may do, such as `metrics:read`; `admin` for all that its owner may.',
    }),
    workspace: t.string({
      description: 'Confines it to the workspace of this name; else it reaches all of the account.',
    }),
    owner: t.string({ description: 'Name of a service account as which it acts; as the caller when left out.' }),
    addressRanges: t.stringList({
      description:
        'Addresses it may be used from, such as 203.0.113.0/24 or 2001:db8::/48: at least one range. Left out: any address.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: `When it ends. Left out: after the default number of days of the service; ${expiryRule}`,
    }),
  }),
});

builder.mutationField('createApiKey', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description:
      'Creates an API key, for an admin of the account, or of the workspace that it is confined to. It may no more ' +
      'than the credential of the request. Needs the scope apiKey:write.',
    args: { input: t.arg({ type: CreateInput, required: true, description: 'What it is to be.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const { stored, secret } = await createApiKey(ctx, input);
        return { apiKey: stored, secret };
      }),
  }),
);

const RotateResult = resultType<Issued & { previous: StoredApiKey }>(
  'RotateApiKey',
  'What rotateApiKey made, and what it takes the place of',
  (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, nullable: false, description: 'The new key.' }),
    secret: t.exposeString('secret', { nullable: false, description: 'The key. It is not shown again: keep it now.' }),
    previous: t.expose('previous', {
      type: ApiKeyType,
      nullable: false,
      description: 'The old key, which works until its `expiresAt`.',
    }),
  }),
);

const RotateInput = builder.inputType('RotateApiKeyInput', {
  description: 'Which key to replace, and for how long both work.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    overlapSeconds: t.int({ description: 'How long the old key goes on: 0 to 2592000; a day when left out.' }),
    expiresAt: t.field({
      type: 'DateTime',
      description: `When the new key ends. Left out: when the old key would have ended; ${expiryRule}`,
    }),
  }),
});

builder.mutationField('rotateApiKey', (t) =>
  t.field({
    type: RotateResult,
    nullable: false,
    description:
      'Makes a key like another one, in all but its end. Both work for a while. A key that acts as a user is rotated by ' +
      'that user alone. Needs the scope apiKey:write.',
    args: { input: t.arg({ type: RotateInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        const { issued, previous } = await rotateApiKey(ctx, { ...input, id: resourceIdOf('ApiKey', input.id) });
        return { apiKey: issued.stored, secret: issued.secret, previous };
      }),
  }),
);

const RevokeResult = resultType<{ apiKey: StoredApiKey; descendants: StoredApiKey[] }>(
  'RevokeApiKey',
  'The result of revokeApiKey',
  (t) => ({
    apiKey: t.expose('apiKey', { type: ApiKeyType, nullable: false, description: 'The revoked key.' }),
    descendants: t.expose('descendants', {
      type: [ApiKeyType],
      nullable: { list: false, items: false },
      description: 'The other keys that were revoked with it (`includeDescendants`).',
    }),
  }),
);

const RevokeInput = builder.inputType('RevokeApiKeyInput', {
  description: 'Which key to revoke.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its global id.' }),
    includeDescendants: t.boolean({
      description: 'Also revokes the keys that were created with it, with those keys, and so on (default: false).',
    }),
  }),
});

builder.mutationField('revokeApiKey', (t) =>
  t.field({
    type: RevokeResult,
    nullable: false,
    description: 'Revokes an API key: it stops working within one second. Needs the scope apiKey:write.',
    args: { input: t.arg({ type: RevokeInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(() => revokeApiKey(ctx, { ...input, id: resourceIdOf('ApiKey', input.id) })),
  }),
);
