import type { AccessibleAccount, AccessibleWorkspace } from '../../../auth/caller.js';
import { resourceKinds } from '../../../resource-kinds.js';
import { KindEnum } from '../changes/change-filter.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { encodeGlobalId } from '../global-id.js';
import { GroupCountType } from '../group-counts.js';
import { timestampFromJson } from '../../../schema/resource.js';
import { AccountType, WorkspaceType } from '../accounts/accounts.js';
import { getAccountCostOutlook, getCostOutlook } from '../../../resources/overview/cost-outlook.js';
import type { CostOutlook } from '../../../resources/overview/cost-outlook.js';
import {
  failureHours,
  failuresMax,
  listAccountFailures,
  listAccountHoldings,
  listHoldings,
  listRecentFailures,
} from '../../../resources/overview/overview.js';
import type { Failure, KindOverview, RecentFailures } from '../../../resources/overview/overview.js';
import { timeField } from '../time-fields.js';

const KindOverviewType = builder.objectRef<KindOverview>('KindOverview').implement({
  description: 'Number of resources of one kind, in total and by status.',
  fields: (t) => ({
    kind: t.expose('kind', { type: KindEnum, nullable: false, description: 'Kind of the resources.' }),
    total: t.exposeInt('total', { nullable: false, description: 'Total number of resources.' }),
    states: t.expose('states', {
      type: [GroupCountType],
      nullable: { list: false, items: false },
      description:
        'Number of resources in each status, most frequent first. Resources without a status are counted as null.',
    }),
  }),
});

const FailureType = builder.objectRef<Failure>('Failure').implement({
  interfaces: [NamedInterface],
  description: 'A resource or execution that failed.',
  fields: (t) => ({
    kind: t.expose('kind', { type: KindEnum, nullable: false, description: 'Kind of the resource.' }),
    id: t.id({
      nullable: false,
      description: 'Global ID of the resource, for `node`.',
      resolve: ({ kind, id }) => encodeGlobalId(resourceKinds[kind].typeName, id),
    }),
    workspaceName: t.string({
      description: 'Name of the workspace, or null if the workspace was deleted.',
      resolve: ({ workspaceId }, _args, { caller }) => {
        for (const { id, name } of caller.workspaces.values()) if (id === workspaceId) return name;
        return null;
      },
    }),
    name: t.exposeString('name', {
      nullable: false,
      description: 'Name of the resource. For an execution: name of its job.',
    }),
    status: t.exposeString('status', { nullable: false, description: 'Status: FAILED, or TIMEOUT for an execution.' }),
    time: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'The time the execution ended, or the resource failed.',
      resolve: ({ time }) => timestampFromJson(time),
    }),
  }),
});

const RecentFailuresType = builder.objectRef<RecentFailures>('RecentFailures').implement({
  description: `Failures of the last ${failureHours} hours that have not recovered since.`,
  fields: (t) => ({
    since: t.field(timeField('since', 'Start of the period.')),
    count: t.exposeInt('count', { nullable: false, description: 'Number of failures.' }),
    newest: t.expose('newest', {
      type: [FailureType],
      nullable: { list: false, items: false },
      description: `The latest ${failuresMax} failures, newest first.`,
    }),
  }),
});

const CostOutlookType = builder.objectRef<CostOutlook>('CostForecast').implement({
  description: 'Cost of the current month (UTC).',
  fields: (t) => ({
    startTime: t.field(timeField('monthStart', 'Start of the month.')),
    endTime: t.field(timeField('monthEnd', 'End of the month.')),
    toDate: t.expose('soFar', {
      type: 'Decimal',
      nullable: false,
      description: 'Cost of the month so far (USD, exact).',
    }),
    forecast: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'Forecast cost of the whole month (USD), at the hourly rate so far, excluding credits.',
      resolve: ({ project }) => project(),
    }),
  }),
});

const OverviewType = builder.objectRef<AccessibleWorkspace>('WorkspaceOverview').implement({
  description: 'Summary of a workspace: resources, failures and cost. For the latest changes, use `changes(last:)`.',
  fields: (t) => ({
    kinds: t.field({
      type: [KindOverviewType],
      nullable: { list: true, items: false },
      complexity: { field: 100, multiplier: 10 },
      extensions: requiresScopes([['workspaces:get']]),
      description: 'Resources of the workspace by kind and status, for the kinds that the credential can list.',
      resolve: (workspace, _args, ctx) => listHoldings(ctx, workspace),
    }),
    failures: t.field({
      type: RecentFailuresType,
      complexity: 100,
      extensions: requiresScopes([['workspaces:get']]),
      description: 'Failures of the last day, for the kinds that the credential can list.',
      resolve: (workspace, _args, ctx) => listRecentFailures(ctx, workspace),
    }),
    cost: t.field({
      type: CostOutlookType,
      complexity: 5,
      extensions: requiresScopes([['metrics:read']]),
      description: 'Cost of the workspace this month. Needs the same role as `Workspace.cost`.',
      resolve: (workspace, _args, ctx) => getCostOutlook(ctx, workspace),
    }),
  }),
});

builder.objectField(WorkspaceType, 'overview', (t) =>
  t.field({
    type: OverviewType,
    nullable: false,
    description: 'Summary of resources, failures and cost.',
    resolve: (workspace) => workspace,
  }),
);

const AccountOverviewType = builder.objectRef<AccessibleAccount>('AccountOverview').implement({
  description: 'Summary of an account: resources, failures and cost of all accessible workspaces.',
  fields: (t) => ({
    kinds: t.field({
      type: [KindOverviewType],
      nullable: { list: true, items: false },
      complexity: { field: 100, multiplier: 10 },
      extensions: requiresScopes([['workspaces:get']]),
      description: 'Resources of the workspaces by kind and status, for the kinds that the credential can list.',
      resolve: (account, _args, ctx) => listAccountHoldings(ctx, account),
    }),
    failures: t.field({
      type: RecentFailuresType,
      complexity: 100,
      extensions: requiresScopes([['workspaces:get']]),
      description: 'Failures of the last day, for the kinds that the credential can list.',
      resolve: (account, _args, ctx) => listAccountFailures(ctx, account),
    }),
    cost: t.field({
      type: CostOutlookType,
      complexity: 5,
      extensions: requiresScopes([['metrics:read']]),
      description: 'Cost of this month that the caller can access.',
      resolve: (account, _args, ctx) => getAccountCostOutlook(ctx, account),
    }),
  }),
});

builder.objectField(AccountType, 'overview', (t) =>
  t.field({
    type: AccountOverviewType,
    nullable: false,
    description: 'Summary of resources, failures and cost.',
    resolve: (account) => account,
  }),
);
