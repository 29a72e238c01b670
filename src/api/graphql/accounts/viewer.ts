import type { OwnConsent, OwnSession } from '../../../auth/grants/own-access.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument } from '../change-arguments.js';
import { addMutation } from '../mutation.js';
import { confinementFields } from './confinement.js';
import { ViewerType } from './accounts.js';
import {
  endOwnSessions,
  findCurrentSession,
  listOwnAuthorizations,
  listOwnSessions,
  ownAccessMax,
  revokeOwnAuthorization,
} from '../../../accounts/self.js';
import { optionalTimeField, timeField } from '../time-fields.js';

export const SessionType = builder.objectRef<OwnSession>('Session').implement({
  description: 'A browser session of a user.',
  fields: (t) => ({
    sessionId: t.exposeString('id', {
      nullable: false,
      description: 'ID of the session, as the input of endSessions takes it.',
    }),
    signedInAt: t.field(timeField('signedInAt', 'The time the user signed in.')),
    lastUsedAt: t.field(
      optionalTimeField('lastUsedAt', 'The time of the last request (to the minute), or null before the first.'),
    ),
    expiresAt: t.field(timeField('expiresAt', 'The latest time the session ends.')),
    address: t.exposeString('address', {
      description: 'IP address that the user signed in from, or null if unknown.',
    }),
    userAgent: t.exposeString('userAgent', {
      description: 'User agent that the browser reported, or null if it reported none.',
    }),
  }),
});

export const AuthorizationType = builder.objectRef<OwnConsent>('Authorization').implement({
  description:
    'An OAuth consent: the permission of a program to act for a user in an account, or in one of its workspaces.',
  fields: (t) => ({
    clientId: t.exposeString('clientId', {
      nullable: false,
      description: 'The `client_id` of the program, as the input of revokeAuthorization takes it.',
    }),
    displayName: t.exposeString('displayName', { nullable: false, description: 'Display name of the program.' }),
    ...confinementFields(t, 'the whole account'),
    scopes: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'Scopes that the user granted, which limit the roles of the user.',
      resolve: ({ scopes }) => scopes,
    }),
    grantedAt: t.field(timeField('givenAt', 'The time the user first gave consent.')),
    lastUsedAt: t.field(
      optionalTimeField('lastUsedAt', 'The time the program last received a token, or null if it has none.'),
    ),
  }),
});

builder.objectField(ViewerType, 'sessions', (t) =>
  t.field({
    type: [SessionType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: ownAccessMax },
    extensions: requiresScopes([['admin']]),
    description: `Browser sessions of the caller (the newest ${ownAccessMax}).`,
    resolve: (_caller, _args, ctx) => listOwnSessions(ctx),
  }),
);

builder.objectField(ViewerType, 'currentSessionId', (t) =>
  t.string({
    complexity: 5,
    extensions: requiresScopes([['admin']]),
    description:
      'ID of the browser session in which the credential of the request was authorized, or null if there is none, such as ' +
      'for an API key.',
    resolve: (_caller, _args, ctx) => findCurrentSession(ctx),
  }),
);

builder.objectField(ViewerType, 'authorizations', (t) =>
  t.field({
    type: [AuthorizationType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: ownAccessMax },
    extensions: requiresScopes([['admin']]),
    description:
      'OAuth consents of the caller that the credential can access, most recently used first (at most ' +
      `${ownAccessMax}).`,
    resolve: (_caller, _args, ctx) => listOwnAuthorizations(ctx),
  }),
);

addMutation('endSessions', {
  description:
    'Signs the caller out of one browser, or of all of them. The authorizations of programs that were given in an ' +
    'ended session end too: their tokens stop working within one second. Without `sessionId`, all authorizations ' +
    'of the caller end. API keys stay valid.',
  scopes: [['admin']],
  inputDescription: 'The sessions to end.',
  input: (t) => ({
    ...dryRunArgument(t),
    sessionId: t.string({ description: 'ID of the session. Omitted: all sessions of the caller.' }),
  }),
  run: async (ctx, input) => ({ ended: await endOwnSessions(ctx, input.sessionId ?? undefined, input) }),
  payloadDescription: 'The number of ended sessions',
  payload: (t) => ({ ended: t.exposeInt('ended', { nullable: false, description: 'Number of ended sessions.' }) }),
});

addMutation('revokeAuthorization', {
  description:
    'Revokes the caller’s consent for a program, in the accounts and workspaces that the credential can ' +
    'access. The tokens stop working within one second, and the program has to ask for consent again.',
  scopes: [['admin']],
  inputDescription: 'The consent to revoke.',
  input: (t) => ({
    ...dryRunArgument(t),
    clientId: t.string({ required: true, description: 'The `client_id` of the program.' }),
  }),
  run: async (ctx, input) => {
    await revokeOwnAuthorization(ctx, input.clientId, input);
    return { clientId: input.clientId };
  },
  payloadDescription: 'The revoked consent',
  payload: (t) => ({
    clientId: t.exposeString('clientId', { nullable: false, description: 'The `client_id` of the program.' }),
  }),
});
