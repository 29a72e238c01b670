import { builder } from '../builder.js';
import { connectionComplexity, orNull } from '../connection.js';
import { filterArgument } from '../filter-argument.js';
import { countComplexity, countDescription, groupArguments, GroupCountType } from '../group-counts.js';
import { EventfulInterface, ResourceInterface } from '../resource.js';
import { connectionOf, listArguments } from '../resource-fields.js';
import { foundId, resolveList, workspaceArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
import { objectType } from '../shape-type.js';
import type { Found } from '../../../store/read/found.js';
import { specifiedGroupings } from '../../../store/read/grouping.js';
import { AccountType, WorkspaceType } from '../accounts/accounts.js';
import { vpcKind, vpcSpec } from '../../../resources/networks/vpc.js';
import type { VpcRow } from '../../../resources/networks/vpc.js';
import { countVpcs, findVpcs, getVpc, listVpcs, listAccountVpcs } from '../../../resources/networks/vpcs.js';
import {
  addCreateMutation,
  addDeleteMutation,
  addUpdateMutation,
  createInput,
  deleteInput,
  updateInput,
} from '../resource-mutations.js';
import { inputType, updateInputType } from '../shape-input.js';
import { metadata } from '../../../schema/resource.js';
import { createVpc, deleteVpc, updateVpc } from '../../../resources/networks/vpc-changes.js';

const VpcSpecType = objectType(vpcSpec);

const vpc = rowFields<VpcRow>();

export const VpcType = builder.node(builder.objectRef<Found<VpcRow>>('Vpc'), {
  description: 'A private network, whose traffic leaves through its egress gateways. Needs the scope admin.',
  interfaces: [EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findVpcs(ctx, ids),
  fields: (t) => ({
    spec: t.field({ type: VpcSpecType, nullable: false, ...vpc.of(['spec'], ({ spec }) => spec) }),
  }),
});

const filter = filterArgument('Vpc', vpcKind.criteria);

const connection = connectionOf(VpcType, 'Vpc', 'vpcs');

builder.queryField('vpcs', (t) =>
  t.connection(
    {
      type: VpcType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description: 'The vpcs of a workspace. Needs the scope admin.',
      args: { ...listArguments, ...filter, ...workspaceArgument },
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) =>
        resolveList(args, info, (input) => listVpcs(ctx, { ...input, workspace: args.workspace })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'vpcs', (t) =>
  t.connection(
    {
      type: VpcType,
      nullable: false,
      description: 'Its vpcs. Needs the scope admin.',
      args: { ...listArguments, ...filter },
      complexity: connectionComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listVpcs(ctx, { ...input, workspace: name, isOneOfMany: true })),
    },
    connection,
  ),
);

builder.queryField('vpc', (t) =>
  t.field({
    type: VpcType,
    description: 'One of the vpcs by its name; null when there is none. Needs the scope admin.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }), ...workspaceArgument },
    resolve: (_root, args, ctx, info) => orNull(getVpc(ctx, { ...args, columns: selectedColumns(info) })),
  }),
);

const counted = groupArguments('Vpc', specifiedGroupings);

const counts = {
  nullable: { list: true, items: false },
  description: countDescription('VPCs', 'admin'),
  complexity: countComplexity,
} as const;

builder.queryField('vpcCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter, ...workspaceArgument },
    resolve: (_root, args, ctx) => countVpcs(ctx, args),
  }),
);

builder.objectField(WorkspaceType, 'vpcCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter },
    resolve: ({ name }, args, ctx) => countVpcs(ctx, { ...args, workspace: name }),
  }),
);

builder.objectField(AccountType, 'vpcs', (t) =>
  t.connection(
    {
      type: VpcType,
      nullable: true,
      description: 'The VPCs in all of its workspaces within reach, as one list. Needs the scope admin.',
      args: { ...listArguments, ...filter },
      complexity: connectionComplexity,
      resolve: ({ id: accountId }, args, ctx, info) =>
        resolveList(args, info, (input) => listAccountVpcs(ctx, { ...input, accountId })),
    },
    connection,
  ),
);

addCreateMutation('VPC', {
  type: VpcType,
  description: 'Creates a VPC. Needs the scope admin.',
  args: createInput('VPC', (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(vpcSpec), description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => createVpc(ctx, input),
});

addUpdateMutation('VPC', {
  type: VpcType,
  description: 'Updates a VPC. Needs the scope admin.',
  args: updateInput('VPC', (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(vpcSpec), description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => updateVpc(ctx, input),
});

addDeleteMutation('VPC', {
  type: VpcType,
  description: 'Deletes a VPC that has no egress gateways. Needs the scope admin.',
  args: deleteInput('VPC', () => ({})),
  run: (ctx, { input }) => deleteVpc(ctx, input),
});
