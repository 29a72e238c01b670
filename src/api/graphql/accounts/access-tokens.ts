import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument } from '../change-arguments.js';
import { connectionComplexity } from '../connection.js';
import { addMutation, nonNull } from '../mutation.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { listAccessTokens, revokeAccessToken } from '../../../accounts/access-tokens.js';
import type { AccessToken } from '../../../accounts/access-tokens.js';
import { PrincipalKindEnum } from './accounts.js';
import { confinementNames } from './confinement.js';
import { optionalTimeField, timeField } from '../time-fields.js';

const AccessTokenType = builder.objectRef<AccessToken>('AccessToken').implement({
  description: 'A short-lived credential of a user, or of a program that acts for one. The token itself is not shown.',
  fields: (t) => ({
    tokenId: t.exposeString('id', { nullable: false, description: 'Identifier of the token, its claim `jti`.' }),
    owner: t.string({
      nullable: false,
      description: 'The principal that the token acts as: a user’s email address, or the name of a service account.',
      resolve: ({ principal }) => principal.name,
    }),
    ownerKind: t.field({ type: PrincipalKindEnum, nullable: false, resolve: ({ principal }) => principal.kind }),
    ...confinementNames(t),
    clientName: t.exposeString('clientId', {
      description: 'Name of the OAuth client that requested it, or null if no client did.',
    }),
    scopes: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'Scopes of the token.',
      resolve: ({ scope }) => scope.split(' '),
    }),
    issuedAt: t.field(timeField('issuedAt', 'The time the token was issued.')),
    expiresAt: t.field(timeField('expiresAt', 'The time the token expires.')),
    revokedAt: t.field(
      optionalTimeField('revokedAt', 'The time the token was revoked, or null if it was not revoked.'),
    ),
  }),
});

builder.queryField('accessTokens', (t) =>
  t.connection(
    {
      type: AccessTokenType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Access tokens of all accounts that have not expired. Needs an admin of the platform.',
      args: {
        ...listOrderArgument,
        ...searchArgument('owner and client'),
        account: t.arg.string({ description: 'Only tokens of the account of this name.' }),
      },
      complexity: connectionComplexity,
      resolve: (_root, { account, ...args }, ctx, info) =>
        resolveList(args, info, (input) => listAccessTokens(ctx, { ...input, account })),
    },
    { name: 'AccessTokenConnection', description: 'A page of access tokens.' },
    { name: 'AccessTokenEdge', description: 'An access token and its cursor.' },
  ),
);

addMutation('revokeAccessToken', {
  description:
    'Revokes an access token, and the refresh token that could replace it. It stops working within one second. Needs an ' +
    'admin of the platform.',
  scopes: [['admin']],
  inputDescription: 'The token to revoke.',
  input: (t) => ({
    ...dryRunArgument(t),
    tokenId: t.string({ required: true, description: 'Identifier of the token, its claim `jti`.' }),
  }),
  run: async (ctx, { tokenId: id, ...input }) => ({ accessToken: await revokeAccessToken(ctx, { id, ...input }) }),
  payloadDescription: 'The revoked token',
  payload: (t) => ({ accessToken: t.expose('accessToken', nonNull(AccessTokenType, 'The revoked token.')) }),
});
