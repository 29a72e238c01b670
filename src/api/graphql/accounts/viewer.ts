import type { OwnConsent, OwnSession } from '../../../auth/grants/own-access.js';
import { builder } from '../builder.js';
import { resultOf, resultType } from '../mutation.js';
import { confinementFields } from './confinement.js';
import { ViewerType } from './accounts.js';
import {
  endOwnSessions,
  listOwnAuthorizations,
  listOwnSessions,
  ownAccessMax,
  revokeOwnAuthorization,
} from '../../../accounts/self.js';

const SessionType = builder.objectRef<OwnSession>('Session').implement({
  description: 'A browser where the caller is signed in.',
  fields: (t) => ({
    sessionId: t.exposeString('id', { nullable: false, description: 'What endSessions takes.' }),
    signedInAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the caller signed in there.',
      resolve: ({ signedInAt }) => signedInAt.toISOString(),
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      description: 'To the minute.',
      resolve: ({ lastUsedAt }) => lastUsedAt?.toISOString(),
    }),
    expiresAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it ends, at the latest.',
      resolve: ({ expiresAt }) => expiresAt.toISOString(),
    }),
    address: t.exposeString('address', { description: 'From which network address the caller signed in.' }),
    userAgent: t.exposeString('userAgent', { description: 'What the browser says that it is.' }),
  }),
});

const AuthorizationType = builder.objectRef<OwnConsent>('Authorization').implement({
  description: 'What a program may do for the caller, in an account or in one workspace of it.',
  fields: (t) => ({
    clientId: t.exposeString('clientId', {
      nullable: false,
      description: 'Which program; what revokeAuthorization takes.',
    }),
    displayName: t.exposeString('displayName', { nullable: false, description: 'What people know the program by.' }),
    ...confinementFields(t, 'all of the account'),
    scopes: t.stringList({
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: 'What it may do of what the roles of the caller allow.',
      resolve: ({ scopes }) => scopes,
    }),
    givenAt: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the caller first allowed it.',
      resolve: ({ givenAt }) => givenAt.toISOString(),
    }),
    lastUsedAt: t.field({
      type: 'DateTime',
      description: 'When it last got a token; null when it has none.',
      resolve: ({ lastUsedAt }) => lastUsedAt?.toISOString(),
    }),
  }),
});

builder.objectField(ViewerType, 'sessions', (t) =>
  t.field({
    type: [SessionType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: ownAccessMax },
    description: `Where the caller is signed in, the newest ${ownAccessMax}. Needs the scope admin.`,
    resolve: (_caller, _args, ctx) => listOwnSessions(ctx),
  }),
);

builder.objectField(ViewerType, 'authorizations', (t) =>
  t.field({
    type: [AuthorizationType],
    nullable: { list: true, items: false },
    complexity: { field: 5, multiplier: ownAccessMax },
    description:
      `What programs may do for the caller within reach of the credential, the last used first, ${ownAccessMax} at most. ` +
      'Needs the scope admin.',
    resolve: (_caller, _args, ctx) => listOwnAuthorizations(ctx),
  }),
);

const EndResult = resultType<{ ended: number }>('EndSessions', 'What endSessions ended', (t) => ({
  ended: t.exposeInt('ended', { nullable: false, description: 'How many sessions.' }),
}));

const EndInput = builder.inputType('EndSessionsInput', {
  description: 'Where to sign out.',
  fields: (t) => ({
    sessionId: t.string({ description: 'Of which browser; of all of them when it is left out.' }),
  }),
});

builder.mutationField('endSessions', (t) =>
  t.field({
    type: EndResult,
    nullable: false,
    description: 'Signs the caller out of one browser, or of all of them. Needs the scope admin.',
    args: { input: t.arg({ type: EndInput, required: true, description: 'Where.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => ({ ended: await endOwnSessions(ctx, input.sessionId ?? undefined) })),
  }),
);

const RevokeResult = resultType<{ clientId: string }>(
  'RevokeAuthorization',
  'Of what revokeAuthorization took back',
  (t) => ({ clientId: t.exposeString('clientId', { nullable: false, description: 'Which program.' }) }),
);

const RevokeInput = builder.inputType('RevokeAuthorizationInput', {
  description: 'What to take back.',
  fields: (t) => ({ clientId: t.string({ required: true, description: 'From which program.' }) }),
});

builder.mutationField('revokeAuthorization', (t) =>
  t.field({
    type: RevokeResult,
    nullable: false,
    description:
      'Takes back what a program may do for the caller within reach of the credential: its tokens end within one second, and ' +
      'it has to ask again. Needs the scope admin.',
    args: { input: t.arg({ type: RevokeInput, required: true, description: 'From whom.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        await revokeOwnAuthorization(ctx, input.clientId);
        return { clientId: input.clientId };
      }),
  }),
);
