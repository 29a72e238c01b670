import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument, otherAccount, otherOwner } from '../change-arguments.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { idField, withId } from '../reference.js';
import { addMutation, nonNull } from '../mutation.js';
import { secretRule, shownSecret } from '../shown-secret.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
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
import { confinementFields, confinementNames } from './confinement.js';
import { PrincipalKindEnum } from './accounts.js';
import { optionalTimeField, timeField } from '../time-fields.js';

const ApiKeyStatusEnum = builder.enumType('ApiKeyStatus', {
  description: 'Status of an API key.',
  values: enumValues(apiKeyStatuses),
});

const ApiKeyType = builder.node(builder.objectRef<StoredApiKey>('ApiKey'), {
  interfaces: [NamedInterface],
  description: 'A long-lived credential. The key itself is returned only once, at creation.',
  id: { resolve: ({ id }) => id },
  loadManyWithoutCache: (ids, ctx) => findApiKeys(ctx, ids),
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Name of the key, such as its purpose.' }),
    prefix: t.exposeString('prefix', { nullable: false, description: 'First characters of the key, to identify it.' }),
    status: t.field({
      type: ApiKeyStatusEnum,
      nullable: false,
      resolve: (key, _args, ctx) => apiKeyStatus(key, ctx.now()),
    }),
    scopes: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description:
        'Scopes of the key, which limit the roles of its owner. `admin` grants everything that the roles allow.',
      resolve: ({ scope }) => scope.split(' '),
    }),
    owner: t.string({
      nullable: false,
      description: 'The principal that the key acts as: a user’s email address, or the name of a service account.',
      resolve: ({ principal }) => principal.name,
    }),
    ownerKind: t.field({ type: PrincipalKindEnum, nullable: false, resolve: ({ principal }) => principal.kind }),
    ...confinementNames(t),
    ...confinementFields(t, 'a key that can access the whole account'),
    addressRanges: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'CIDR ranges that the key may be used from, such as 203.0.113.0/24. Empty: any address.',
      resolve: ({ addressRanges }) => addressRanges,
    }),
    createdAt: t.field(timeField('createdAt', 'The time the key was created.')),
    createdBy: t.exposeString('createdBy', {
      description: 'Name of the user or service account that created it; null for the operator of the service.',
    }),
    createdWith: t.exposeString('createdWith', {
      description: 'Kind and name of the credential that created it, such as "api_key wcp_ab12cd"; null if unknown.',
    }),
    expiresAt: t.field(optionalTimeField('expiresAt', 'The time the key expires, or null if it does not expire.')),
    lastUsedAt: t.field(
      optionalTimeField('lastUsedAt', 'The time of the last use (to the minute), or null before the first use.'),
    ),
    revokedAt: t.field(optionalTimeField('revokedAt', 'The time the key was revoked, or null if it was not revoked.')),
  }),
});

builder.queryField('apiKeys', (t) =>
  t.connection(
    {
      type: ApiKeyType,
      // If this root field is refused, the others still return.
      nullable: true,
      extensions: requiresScopes([['apiKey:list']]),
      description:
        'API keys that the caller can manage: all keys of the account for an account admin, those of a workspace ' +
        'for an admin of the workspace, and the caller’s own. With `all`, the keys of all accounts.',
      args: {
        ...listOrderArgument,
        ...searchArgument('name and prefix'),
        all: t.arg.boolean({
          description: 'Lists the keys of all accounts (default: false). Needs an admin of the platform.',
        }),
        account: t.arg.string({
          description: 'Only keys of the account of this name. Only an admin of the platform can name another account.',
        }),
        workspace: t.arg.string({ description: 'Only keys that are restricted to the workspace of this name.' }),
        owner: t.arg.string({ description: 'Only keys that act as the user or service account of this name.' }),
        status: t.arg({ type: ApiKeyStatusEnum, description: 'Only keys of this status.' }),
      },
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) => {
        const { all, account, workspace, owner, status } = args;
        const which = { isOfAll: all === true, account, workspace, owner, status };
        return resolveList(args, info, (input) => listApiKeys(ctx, { ...input, ...which }));
      },
    },
    { name: 'ApiKeyConnection', description: 'A page of API keys.' },
    { name: 'ApiKeyEdge', description: 'An API key and its cursor.' },
  ),
);

const expiryRule =
  'The key expires no later than the credential of the request. With an access token of a user: no later than one ' +
  'day from now, unless the user signed in within the last hour.';

/** When a new key expires: at a time, never by name, or after a default. */
export function expiryFields(t: InputFields, omitted: string) {
  return {
    expiresAt: t.field({
      type: 'DateTime',
      description: `The time the key expires. Omitted or null: ${omitted}. ${expiryRule}`,
    }),
    neverExpires: t.boolean({
      description:
        'Creates a key that never expires, if the service and the credential of the request allow it (default: ' +
        'false). Not together with `expiresAt`.',
    }),
  };
}

addMutation('createApiKey', {
  description:
    'Creates an API key. Needs an admin of the account, or of the workspace that the key is restricted to. ' +
    'The key cannot have more permissions than the credential of the request. An admin of the platform can create keys ' +
    'for any account.',
  scopes: [['apiKey:write']],
  inputDescription: 'A new API key.',
  argumentDescription: 'The properties of the key.',
  input: (t) => ({
    ...dryRunArgument(t),
    name: t.string({ required: true, description: 'Name of the key, such as its purpose (1 to 63 characters).' }),
    scopes: t.stringList({
      required: true,
      description:
        'Scopes of the key, such as `metrics:read`. `admin` grants everything that the roles of the owner allow.',
    }),
    account: t.string({ description: otherAccount }),
    workspace: t.string({
      description: 'Name of the workspace to restrict the key to. Omitted: the key can access the whole account.',
    }),
    owner: t.string({
      description: `Name of the service account that the key acts as (default: the caller). ${otherOwner}`,
    }),
    addressRanges: t.stringList({
      description:
        'CIDR ranges that the key may be used from, such as 203.0.113.0/24 or 2001:db8::/48: at least one range. ' +
        'Omitted: any address.',
    }),
    ...expiryFields(t, 'after the default lifetime of the service (days)'),
  }),
  run: async (ctx, input) => {
    const { stored, secret } = await createApiKey(ctx, input);
    return { apiKey: stored, secret: shownSecret(input, secret) };
  },
  payloadDescription: 'The created API key',
  payload: (t) => ({
    apiKey: t.expose('apiKey', nonNull(ApiKeyType)),
    secret: t.exposeString('secret', {
      nullable: false,
      description: `The secret key. ${secretRule}`,
    }),
  }),
});

addMutation('rotateApiKey', {
  description:
    'Replaces a key with a new key that has the same properties, except for its expiry. Both stay valid ' +
    'during the overlap. Only the user can rotate a key that acts as that user. An admin of the platform can rotate any ' +
    'key of another account.',
  scopes: [['apiKey:write']],
  inputDescription: 'The key to replace, and the time that both keys stay valid.',
  argumentDescription: 'The key to rotate.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...idField(t, 'key'),
    overlapSeconds: t.int({
      description: 'Time that the old key stays valid (seconds, 0 to 2592000; default: one day).',
    }),
    ...expiryFields(
      t,
      'when the old key would have expired, or after the default lifetime of the service if the old key never expires',
    ),
  }),
  run: async (ctx, input) => {
    const { issued, previous } = await rotateApiKey(ctx, withId('ApiKey', input));
    return { apiKey: issued.stored, secret: shownSecret(input, issued.secret), previous };
  },
  payloadDescription: 'The new key, and the key that it replaces',
  payload: (t) => ({
    apiKey: t.expose('apiKey', nonNull(ApiKeyType, 'The new key.')),
    secret: t.exposeString('secret', {
      nullable: false,
      description: `The secret key. ${secretRule}`,
    }),
    previous: t.expose('previous', nonNull(ApiKeyType, 'The old key, which stays valid until its `expiresAt`.')),
  }),
});

addMutation('revokeApiKey', {
  description: 'Revokes an API key: it stops working within one second. An admin of the platform can revoke any key.',
  scopes: [['apiKey:write']],
  inputDescription: 'The key to revoke.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...idField(t, 'key'),
    includeDescendants: t.boolean({
      description: 'Also revokes the keys that were created with it, with those keys, and so on (default: false).',
    }),
  }),
  run: (ctx, input) => revokeApiKey(ctx, withId('ApiKey', input)),
  payloadDescription: 'The revoked keys',
  payload: (t) => ({
    apiKey: t.expose('apiKey', nonNull(ApiKeyType, 'The revoked key.')),
    descendants: t.expose('descendants', {
      type: [ApiKeyType],
      nullable: { list: false, items: false },
      description: 'The other keys that were revoked with it (`includeDescendants`).',
    }),
  }),
});
