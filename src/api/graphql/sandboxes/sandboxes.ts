import { builder } from '../builder.js';
import { orNull } from '../connection.js';
import { filterArgument } from '../filter-argument.js';
import { countComplexity, countDescription, groupArguments, GroupCountType } from '../group-counts.js';
import { BilledInterface, EventfulInterface, ResourceInterface } from '../resource.js';
import { billedListArguments, billedListComplexity, connectionOf, listArguments } from '../resource-fields.js';
import { foundId, resolveList, workspaceArgument } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
import { objectType } from '../shape-type.js';
import type { Found } from '../../../store/read/found.js';
import { workloadGroupings } from '../../../store/read/grouping.js';
import { maskedSpec } from '../../../schema/runtime.js';
import { AccountType, WorkspaceType } from '../accounts/accounts.js';
import { sandboxKind, sandboxSpec } from '../../../resources/sandboxes/sandbox.js';
import type { SandboxRow } from '../../../resources/sandboxes/sandbox.js';
import {
  countSandboxes,
  findSandboxes,
  getSandbox,
  listSandboxes,
  listAccountSandboxes,
} from '../../../resources/sandboxes/sandboxes.js';
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
import { createSandbox, deleteSandbox, updateSandbox } from '../../../resources/sandboxes/sandbox-changes.js';

const SandboxSpecType = objectType(sandboxSpec);

const sandbox = rowFields<SandboxRow>();

export const SandboxType = builder.node(builder.objectRef<Found<SandboxRow>>('Sandbox'), {
  description:
    'A sandbox: an isolated machine that starts when it is called. Lists need sandboxes:list, one needs sandboxes:get.',
  interfaces: [BilledInterface, EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findSandboxes(ctx, ids),
  fields: (t) => ({
    spec: t.field({
      type: SandboxSpecType,
      nullable: false,
      ...sandbox.of(['spec'], ({ spec }) => maskedSpec(spec)),
    }),
  }),
});

const filter = filterArgument('Sandbox', sandboxKind.criteria);

const connection = connectionOf(SandboxType, 'Sandbox', 'sandboxes');

builder.queryField('sandboxes', (t) =>
  t.connection(
    {
      type: SandboxType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description: 'The sandboxes of a workspace. Needs the scope sandboxes:list.',
      args: { ...billedListArguments, ...filter, ...workspaceArgument },
      complexity: billedListComplexity,
      resolve: (_root, args, ctx, info) =>
        resolveList(args, info, (input) => listSandboxes(ctx, { ...input, workspace: args.workspace })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'sandboxes', (t) =>
  t.connection(
    {
      type: SandboxType,
      nullable: false,
      description: 'Its sandboxes. Needs the scope sandboxes:list.',
      args: { ...billedListArguments, ...filter },
      complexity: billedListComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listSandboxes(ctx, { ...input, workspace: name, isOneOfMany: true })),
    },
    connection,
  ),
);

builder.queryField('sandbox', (t) =>
  t.field({
    type: SandboxType,
    description: 'One of the sandboxes by its name; null when there is none. Needs the scope sandboxes:get.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }), ...workspaceArgument },
    resolve: (_root, args, ctx, info) => orNull(getSandbox(ctx, { ...args, columns: selectedColumns(info) })),
  }),
);

const counted = groupArguments('Sandbox', workloadGroupings);

const counts = {
  nullable: { list: true, items: false },
  description: countDescription('sandboxes', 'sandboxes:list'),
  complexity: countComplexity,
} as const;

builder.queryField('sandboxCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter, ...workspaceArgument },
    resolve: (_root, args, ctx) => countSandboxes(ctx, args),
  }),
);

builder.objectField(WorkspaceType, 'sandboxCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter },
    resolve: ({ name }, args, ctx) => countSandboxes(ctx, { ...args, workspace: name }),
  }),
);

builder.objectField(AccountType, 'sandboxes', (t) =>
  t.connection(
    {
      type: SandboxType,
      nullable: true,
      description: 'The sandboxes in all of its workspaces within reach, as one list. Needs the scope sandboxes:list.',
      args: { ...billedListArguments, ...filter },
      complexity: billedListComplexity,
      resolve: ({ id: accountId }, args, ctx, info) =>
        resolveList(args, info, (input) => listAccountSandboxes(ctx, { ...input, accountId })),
    },
    connection,
  ),
);

addCreateMutation('SANDBOX', {
  type: SandboxType,
  description: 'Creates a sandbox. Needs the scope sandboxes:create.',
  args: createInput('SANDBOX', (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(sandboxSpec), description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => createSandbox(ctx, input),
});

addUpdateMutation('SANDBOX', {
  type: SandboxType,
  description: 'Updates a sandbox. Needs the scope sandboxes:update.',
  args: updateInput('SANDBOX', (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(sandboxSpec), description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => updateSandbox(ctx, input),
});

addDeleteMutation('SANDBOX', {
  type: SandboxType,
  description: 'Deletes a sandbox with its previews. Needs the scope sandboxes:delete.',
  args: deleteInput('SANDBOX', () => ({})),
  run: (ctx, { input }) => deleteSandbox(ctx, input),
});
