import type { ReachableAccount, ReachableWorkspace } from '../../../auth/caller.js';
import { resourceKinds } from '../../../resource-kinds.js';
import { KindEnum } from '../changes/change-filter.js';
import { builder } from '../builder.js';
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

const KindOverviewType = builder.objectRef<KindOverview>('KindOverview').implement({
  description: 'What there is of one kind.',
  fields: (t) => ({
    kind: t.expose('kind', { type: KindEnum, nullable: false, description: 'Of what.' }),
    total: t.exposeInt('total', { nullable: false, description: 'How many there are.' }),
    states: t.expose('states', {
      type: [GroupCountType],
      nullable: { list: false, items: false },
      description: 'How many are in each state, the most frequent first; what has no states is counted under null.',
    }),
  }),
});

const FailureType = builder.objectRef<Failure>('Failure').implement({
  description: 'Something that failed.',
  fields: (t) => ({
    kind: t.expose('kind', { type: KindEnum, nullable: false, description: 'What it is.' }),
    id: t.id({
      nullable: false,
      description: 'Its global id, for `node`.',
      resolve: ({ kind, id }) => encodeGlobalId(resourceKinds[kind].typeName, id),
    }),
    workspace: t.string({
      description: 'The workspace that it is in; null when that has gone meanwhile.',
      resolve: ({ workspaceId }, _args, { caller }) => {
        for (const { id, name } of caller.workspaces.values()) if (id === workspaceId) return name;
        return null;
      },
    }),
    name: t.exposeString('name', { nullable: false, description: 'Its name; of an execution that of its job.' }),
    status: t.exposeString('status', { nullable: false, description: 'FAILED, or TIMEOUT of an execution.' }),
    time: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it ended, or was changed last.',
      resolve: ({ time }) => timestampFromJson(time),
    }),
  }),
});

const RecentFailuresType = builder.objectRef<RecentFailures>('RecentFailures').implement({
  description: `What failed in the last ${failureHours} hours, and has not been put right since.`,
  fields: (t) => ({
    since: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'From when on.',
      resolve: ({ since }) => since.toISOString(),
    }),
    count: t.exposeInt('count', { nullable: false, description: 'How many there are.' }),
    newest: t.expose('newest', {
      type: [FailureType],
      nullable: { list: false, items: false },
      description: `The newest ${failuresMax} of them, the newest first.`,
    }),
  }),
});

const CostOutlookType = builder.objectRef<CostOutlook>('CostOutlook').implement({
  description: 'What the running month costs, in UTC.',
  fields: (t) => ({
    startTime: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When the month began.',
      resolve: ({ monthStart }) => monthStart.toISOString(),
    }),
    endTime: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'When it ends.',
      resolve: ({ monthEnd }) => monthEnd.toISOString(),
    }),
    soFar: t.expose('soFar', { type: 'Decimal', nullable: false, description: 'USD until now, exact.' }),
    projected: t.field({
      type: 'Decimal',
      nullable: false,
      description: 'USD until its end, if the rest costs as much an hour as the part so far, credits aside.',
      resolve: ({ project }) => project(),
    }),
  }),
});

const OverviewType = builder.objectRef<ReachableWorkspace>('WorkspaceOverview').implement({
  description: 'How a workspace is doing at a glance. What changed last stands beside it: `changes(last:)`.',
  fields: (t) => ({
    kinds: t.field({
      type: [KindOverviewType],
      nullable: { list: true, items: false },
      complexity: { field: 100, multiplier: 10 },
      description: 'What it holds in which state, of the kinds that the credential may list.',
      resolve: (workspace, _args, ctx) => listHoldings(ctx, workspace),
    }),
    failures: t.field({
      type: RecentFailuresType,
      complexity: 100,
      description: 'What failed in the last day, of the kinds that the credential may list.',
      resolve: (workspace, _args, ctx) => listRecentFailures(ctx, workspace),
    }),
    cost: t.field({
      type: CostOutlookType,
      complexity: 5,
      description: 'What it costs this month. Needs what its `cost` needs.',
      resolve: (workspace, _args, ctx) => getCostOutlook(ctx, workspace),
    }),
  }),
});

builder.objectField(WorkspaceType, 'overview', (t) =>
  t.field({
    type: OverviewType,
    nullable: false,
    description: 'How it is doing at a glance. Its parts need the scope workspaces:get.',
    resolve: (workspace) => workspace,
  }),
);

const AccountOverviewType = builder.objectRef<ReachableAccount>('AccountOverview').implement({
  description: 'How an account is doing at a glance: all of its workspaces within reach together.',
  fields: (t) => ({
    kinds: t.field({
      type: [KindOverviewType],
      nullable: { list: true, items: false },
      complexity: { field: 100, multiplier: 10 },
      description: 'What they hold in which state, of the kinds that the credential may list.',
      resolve: (account, _args, ctx) => listAccountHoldings(ctx, account),
    }),
    failures: t.field({
      type: RecentFailuresType,
      complexity: 100,
      description: 'What failed in the last day, of the kinds that the credential may list.',
      resolve: (account, _args, ctx) => listAccountFailures(ctx, account),
    }),
    cost: t.field({
      type: CostOutlookType,
      complexity: 5,
      description: 'What the caller sees of it costs this month. Needs the scope metrics:read.',
      resolve: (account, _args, ctx) => getAccountCostOutlook(ctx, account),
    }),
  }),
});

builder.objectField(AccountType, 'overview', (t) =>
  t.field({
    type: AccountOverviewType,
    nullable: false,
    description: 'How it is doing at a glance. Its parts need the scope workspaces:get.',
    resolve: (account) => account,
  }),
);
