// Users and service accounts of the whole service, for admins of the platform.
import type { InputFieldMap, InputShapeFromFields } from '@pothos/core';
import type { RequestContext } from '../../../auth/context.js';
import { builder } from '../builder.js';
import type { InputFields } from '../builder.js';
import { dryRunArgument } from '../change-arguments.js';
import { connectionComplexity } from '../connection.js';
import { addMutation, nonNull } from '../mutation.js';
import { NamedInterface } from '../named.js';
import { requiresScopes } from '../required-scopes.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { PrincipalKindEnum, RoleEnum } from './accounts.js';
import { getPrincipal, listPrincipals } from '../../../accounts/principals.js';
import type { NamedMembership, Principal, PrincipalKind } from '../../../accounts/principals.js';
import {
  createPrincipal,
  deletePrincipal,
  setPrincipalDisabled,
  setUserPassword,
  updatePrincipal,
} from '../../../accounts/user-changes.js';
import { passwordLengthMax, passwordLengthMin } from '../../../auth/sign-in/password.js';
import { optionalTimeField, timeField } from '../time-fields.js';

const needs = 'Needs an admin of the platform.';

/** Most users and service accounts belong to one account and a few workspaces. */
const membershipsExpected = 5;

const MembershipType = builder.objectRef<NamedMembership>('Membership').implement({
  description: 'The role of a user or service account in an account or a workspace.',
  fields: (t) => ({
    accountName: t.exposeString('account', { nullable: false, description: 'Name of the account.' }),
    workspaceName: t.exposeString('workspace', {
      description: 'Name of the workspace, or null for the role in the account itself.',
    }),
    role: t.expose('role', { type: RoleEnum, nullable: false }),
  }),
});

export const PrincipalType = builder.objectRef<Principal>('Principal').implement({
  interfaces: [NamedInterface],
  description: 'A user or a service account, as admins of the platform see it.',
  fields: (t) => ({
    principalId: t.exposeString('id', { nullable: false, description: 'Identifier (UUID). It never changes.' }),
    kind: t.expose('kind', { type: PrincipalKindEnum, nullable: false }),
    name: t.exposeString('name', {
      nullable: false,
      description: 'A user’s email address, or the name of a service account.',
    }),
    displayName: t.exposeString('displayName', { description: 'Display name, or null if there is none.' }),
    memberships: t.expose('memberships', {
      type: [MembershipType],
      nullable: { list: false, items: false },
      complexity: { field: 1, multiplier: membershipsExpected },
      description: 'Its roles, ordered by account and workspace.',
    }),
    disabledAt: t.field(optionalTimeField('disabledAt', 'The time it was disabled, or null if it is enabled.')),
    createdAt: t.field(timeField('createdAt', 'The time of creation.')),
  }),
});

const principalConnection = builder.connectionObject(
  { type: PrincipalType, name: 'PrincipalConnection', description: 'A page of users or service accounts.' },
  { name: 'PrincipalEdge', description: 'A user or service account and its cursor.' },
);

interface PrincipalNoun {
  kind: PrincipalKind;
  /** The end of the names of its mutations. */
  typeName: string;
  /** The field of a query and of payloads. */
  field: string;
  label: string;
  nameText: string;
  newNameText: string;
}

const nouns: PrincipalNoun[] = [
  {
    kind: 'user',
    typeName: 'User',
    field: 'user',
    label: 'user',
    nameText: 'Email address of the user.',
    newNameText: 'Email address. It is stored in lower case.',
  },
  {
    kind: 'service_account',
    typeName: 'ServiceAccount',
    field: 'serviceAccount',
    label: 'service account',
    nameText: 'Name of the service account.',
    newNameText:
      'Name, unique among all users and service accounts (lowercase letters, digits and hyphens; at most 49 characters).',
  },
];

const displayNameText = 'Display name (at most 63 characters).';

interface PrincipalMutation<Fields extends InputFieldMap> {
  description: string;
  /** The change in the past tense, as in "The created user". */
  past: string;
  input: (t: InputFields) => Fields;
  run: (ctx: RequestContext, input: InputShapeFromFields<Fields>) => Promise<Principal>;
}

/** Adds a mutation of one user or service account: `createUser`. */
function addPrincipalMutation<Fields extends InputFieldMap>(
  verb: string,
  { typeName, field, label }: PrincipalNoun,
  { description, past, input, run }: PrincipalMutation<Fields>,
): void {
  addMutation<Fields, { principal: Principal }>(`${verb}${typeName}`, {
    description: `${description} ${needs}`,
    scopes: [['admin']],
    inputDescription: `The ${label}, and its values.`,
    input,
    run: async (ctx, given) => ({ principal: await run(ctx, given) }),
    payloadDescription: `The ${past} ${label}`,
    payload: (t) => ({ [field]: t.expose('principal', nonNull(PrincipalType, `The ${past} ${label}.`)) }),
  });
}

for (const noun of nouns) {
  const { kind, field, label, nameText, newNameText } = noun;
  const named = (t: InputFields) => ({
    ...dryRunArgument(t),
    name: t.string({ required: true, description: nameText }),
  });

  builder.queryField(field, (t) =>
    t.field({
      type: PrincipalType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: `A ${label} by name. ${needs}`,
      args: { name: t.arg.string({ required: true, description: nameText }) },
      resolve: (_root, { name }, ctx) => getPrincipal(ctx, { kind, name }),
    }),
  );

  builder.queryField(`${field}s`, (t) =>
    t.connection(
      {
        type: PrincipalType,
        nullable: true,
        extensions: requiresScopes([['admin']]),
        description: `All ${label}s of the service. ${needs}`,
        args: { ...listOrderArgument, ...searchArgument('name and displayName') },
        complexity: connectionComplexity,
        resolve: (_root, args, ctx, info) => resolveList(args, info, (input) => listPrincipals(ctx, kind, input)),
      },
      principalConnection,
    ),
  );

  addPrincipalMutation('create', noun, {
    description: `Creates a ${label}, and adds it to an account or workspace if one is named.`,
    past: 'created',
    input: (t) => ({
      ...dryRunArgument(t),
      name: t.string({ required: true, description: newNameText }),
      displayName: t.string({ description: displayNameText }),
      account: t.string({ description: 'Name of an account to add it to.' }),
      role: t.field({ type: RoleEnum, description: 'Role in the account (default: MEMBER). Requires `account`.' }),
      workspace: t.string({
        description: 'Name of a workspace to add it to. It also becomes a member of the account of the workspace.',
      }),
      workspaceRole: t.field({
        type: RoleEnum,
        description: 'Role in the workspace (default: MEMBER). Requires `workspace`.',
      }),
    }),
    run: (ctx, input) => createPrincipal(ctx, { ...input, kind }),
  });

  addPrincipalMutation('update', noun, {
    description: `Updates the name or the display name of a ${label}. Earlier changes in change logs keep the old name.`,
    past: 'updated',
    input: (t) => ({
      ...named(t),
      newName: t.string({ description: `New name. ${newNameText}` }),
      displayName: t.string({ description: `${displayNameText} Null removes it.` }),
    }),
    run: (ctx, input) => updatePrincipal(ctx, { ...input, kind }),
  });

  addPrincipalMutation('disable', noun, {
    description:
      `Disables a ${label}: none of its credentials work within one second. Its sessions, tokens and consents end ` +
      'permanently; its API keys work again once it is enabled.',
    past: 'disabled',
    input: named,
    run: (ctx, input) => setPrincipalDisabled(ctx, { ...input, kind, isDisabled: true }),
  });

  addPrincipalMutation('enable', noun, {
    description: `Enables a disabled ${label}.`,
    past: 'enabled',
    input: named,
    run: (ctx, input) => setPrincipalDisabled(ctx, { ...input, kind, isDisabled: false }),
  });

  addPrincipalMutation('delete', noun, {
    description: `Deletes a ${label}, and its memberships, API keys, tokens, sessions and the OAuth clients that act as it.`,
    past: 'deleted',
    input: named,
    run: (ctx, input) => deletePrincipal(ctx, { ...input, kind }),
  });
}

addMutation('setUserPassword', {
  description: `Sets the password of a user. Their browser sessions and authorizations of programs end. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The user, and the new password.',
  input: (t) => ({
    ...dryRunArgument(t),
    name: t.string({ required: true, description: 'Email address of the user.' }),
    password: t.string({
      required: true,
      description:
        `The new password (${passwordLengthMin} to ${passwordLengthMax} characters). Send it in a variable, which is ` +
        'not logged.',
    }),
  }),
  run: async (ctx, input) => ({ user: await setUserPassword(ctx, input) }),
  payloadDescription: 'The user with the new password',
  payload: (t) => ({ user: t.expose('user', nonNull(PrincipalType, 'The user.')) }),
});
