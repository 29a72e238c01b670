import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { dryRunArgument, versionArgument } from '../change-arguments.js';
import { enumValues } from '../enums.js';
import { namedAccount } from '../metering/usage.js';
import { addMutation, nonNull } from '../mutation.js';
import { quotaResourceNames, quotaResources } from '../../../accounts/quota.js';
import { setQuotas } from '../../../accounts/quota-changes.js';
import { getQuotas, listAccountQuotas, listWorkspaceQuotas } from '../../../accounts/quotas.js';
import type { Quota, QuotaSet } from '../../../accounts/quotas.js';
import { AccountType, WorkspaceType } from './accounts.js';

const ResourceEnum = builder.enumType('QuotaResource', {
  description: 'The resources that a quota can limit.',
  values: enumValues(quotaResources),
});

const QuotaType = builder.objectRef<Quota>('Quota').implement({
  description: 'A limit of an account, a workspace, a region or a plan, and its current use.',
  fields: (t) => ({
    resource: t.expose('resource', { type: ResourceEnum, nullable: false, description: 'The limited resource.' }),
    limit: t.exposeFloat('limit', {
      nullable: false,
      description: 'The limit, a whole number. A change that would exceed it is refused.',
    }),
    used: t.exposeFloat('used', {
      description: 'The current use. It exceeds a limit that was lowered below it. Null for a plan.',
    }),
    isDefault: t.exposeBoolean('isDefault', {
      nullable: false,
      description: "True if the limit is that of the account's plan.",
    }),
    region: t.exposeString('region', { description: 'Name of the region, or null if the limit is not of a region.' }),
  }),
});

const listLength = { field: 2, multiplier: quotaResourceNames.length };

const QuotaSetType = builder.objectRef<QuotaSet>('QuotaSet').implement({
  description: 'The quotas that are set on a plan, an account, a workspace, or a region of an account.',
  fields: (t) => ({
    planName: t.exposeString('plan', { description: 'Name of the plan, or null if the quotas are not of a plan.' }),
    accountName: t.exposeString('account', { description: 'Name of the account, or null for a plan.' }),
    workspaceName: t.exposeString('workspace', {
      description: 'Name of the workspace, or null if the quotas are not of a workspace.',
    }),
    region: t.exposeString('region', {
      description: 'Name of the region, or null if the quotas are not of a region.',
    }),
    version: t.exposeInt('version', {
      nullable: false,
      description: 'Version of the quotas, incremented by each change; 0 if none was ever set.',
    }),
    quotas: t.expose('quotas', {
      type: [QuotaType],
      nullable: { list: false, items: false },
      complexity: listLength,
      description: 'The limits, ordered by name. Those of an account include the defaults of its plan.',
    }),
  }),
});

builder.objectFields(AccountType, (t) => ({
  quotas: t.field({
    type: [QuotaType],
    nullable: { list: true, items: false },
    complexity: listLength,
    extensions: requiresScopes([['workspaces:get']]),
    description: 'Limits of the account with their use, ordered by name. Empty if nothing is limited.',
    resolve: async ({ id }, _args, ctx) => (await listAccountQuotas(ctx, id)).filter(({ region }) => region === null),
  }),
  regionQuotas: t.field({
    type: [QuotaType],
    nullable: { list: true, items: false },
    complexity: { field: 2, multiplier: quotaResourceNames.length * 2 },
    extensions: requiresScopes([['workspaces:get']]),
    description: 'Limits of the account in its regions with their use, ordered by region and name.',
    args: { region: t.arg.string({ description: 'Name of a region (default: all regions).' }) },
    resolve: async ({ id }, args, ctx) =>
      (await listAccountQuotas(ctx, id)).filter(({ region }) => region !== null && region === (args.region ?? region)),
  }),
}));

builder.objectField(WorkspaceType, 'quotas', (t) =>
  t.field({
    type: [QuotaType],
    nullable: { list: true, items: false },
    complexity: listLength,
    extensions: requiresScopes([['workspaces:get']]),
    description:
      'Limits of the workspace with their use, ordered by name. The limits of the account apply to it as well.',
    resolve: ({ name }, _args, ctx) => listWorkspaceQuotas(ctx, name),
  }),
);

const names = {
  plan: 'Name of a plan, whose limits are the defaults of its accounts.',
  account: 'Name or id of the account.',
  workspace: 'Name of a workspace, for its limits.',
  region: 'Name of a region, for the limits of the account there.',
};

const needs =
  'Needs an admin of the platform. For a workspace, an admin of its account suffices, up to the limits of the account.';

builder.queryField('quotas', (t) =>
  t.field({
    type: QuotaSetType,
    nullable: true,
    extensions: requiresScopes([['admin']]),
    description: `The quotas that are set on a plan, an account, a workspace or a region, with their version. ${needs}`,
    args: {
      plan: t.arg.string({ description: names.plan }),
      account: t.arg.string({ description: names.account }),
      workspace: t.arg.string({ description: names.workspace }),
      region: t.arg.string({ description: names.region }),
    },
    resolve: (_root, { account, ...which }, ctx) =>
      getQuotas(ctx, { ...which, account: account == null ? account : namedAccount(ctx, account) }),
  }),
);

const LimitInput = builder.inputType('QuotaLimitInput', {
  description: 'A limit to set.',
  fields: (t) => ({
    resource: t.field({ type: ResourceEnum, required: true, description: 'The resource to limit.' }),
    limit: t.float({
      description:
        'The limit, a whole number from 0. If it is null or absent, the limit is removed; that of the plan applies again.',
    }),
  }),
});

addMutation('setQuotas', {
  description: `Sets limits. A limit below the current use changes nothing that exists, and refuses more. ${needs}`,
  scopes: [['admin']],
  inputDescription: 'The limits to set, and on what: a plan, an account, a workspace or a region. Other limits stay.',
  argumentDescription: 'The limits to set, and on what.',
  input: (t) => ({
    ...dryRunArgument(t),
    ...versionArgument(t),
    plan: t.string({ description: names.plan }),
    account: t.string({ description: names.account }),
    workspace: t.string({ description: names.workspace }),
    region: t.string({ description: names.region }),
    limits: t.field({ type: [LimitInput], required: true, description: 'The limits to set.' }),
  }),
  run: async (ctx, input) => {
    const { account } = input;
    const named = account == null ? account : namedAccount(ctx, account);
    return { quotaSet: await setQuotas(ctx, { ...input, account: named }) };
  },
  payloadDescription: 'The quotas after the change',
  payload: (t) => ({ quotaSet: t.expose('quotaSet', nonNull(QuotaSetType, 'The quotas.')) }),
});
