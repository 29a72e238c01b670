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
import { specifiedGroupings } from '../../../store/read/grouping.js';
import { AccountType, WorkspaceType } from '../accounts/accounts.js';
import { volumeKind, volumeSpec } from '../../../resources/volumes/volume.js';
import type { VolumeRow } from '../../../resources/volumes/volume.js';
import {
  countVolumes,
  findVolumes,
  getVolume,
  listVolumes,
  listAccountVolumes,
} from '../../../resources/volumes/volumes.js';
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
import { createVolume, deleteVolume, updateVolume } from '../../../resources/volumes/volume-changes.js';

const VolumeSpecType = objectType(volumeSpec);

const volume = rowFields<VolumeRow>();

export const VolumeType = builder.node(builder.objectRef<Found<VolumeRow>>('Volume'), {
  description: 'A persistent volume. Lists need volumes:list, one needs volumes:get.',
  interfaces: [BilledInterface, EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findVolumes(ctx, ids),
  fields: (t) => ({
    spec: t.field({ type: VolumeSpecType, nullable: false, ...volume.of(['spec'], ({ spec }) => spec) }),
  }),
});

const filter = filterArgument('Volume', volumeKind.criteria);

const connection = connectionOf(VolumeType, 'Volume', 'volumes');

builder.queryField('volumes', (t) =>
  t.connection(
    {
      type: VolumeType,
      // A refusal of one root field leaves the others.
      nullable: true,
      description: 'The volumes of a workspace. Needs the scope volumes:list.',
      args: { ...billedListArguments, ...filter, ...workspaceArgument },
      complexity: billedListComplexity,
      resolve: (_root, args, ctx, info) =>
        resolveList(args, info, (input) => listVolumes(ctx, { ...input, workspace: args.workspace })),
    },
    connection,
  ),
);

builder.objectField(WorkspaceType, 'volumes', (t) =>
  t.connection(
    {
      type: VolumeType,
      nullable: false,
      description: 'Its volumes. Needs the scope volumes:list.',
      args: { ...billedListArguments, ...filter },
      complexity: billedListComplexity,
      resolve: ({ name }, args, ctx, info) =>
        resolveList(args, info, (input) => listVolumes(ctx, { ...input, workspace: name, isOneOfMany: true })),
    },
    connection,
  ),
);

builder.queryField('volume', (t) =>
  t.field({
    type: VolumeType,
    description: 'One of the volumes by its name; null when there is none. Needs the scope volumes:get.',
    args: { name: t.arg.string({ required: true, description: 'Its name.' }), ...workspaceArgument },
    resolve: (_root, args, ctx, info) => orNull(getVolume(ctx, { ...args, columns: selectedColumns(info) })),
  }),
);

const counted = groupArguments('Volume', specifiedGroupings);

const counts = {
  nullable: { list: true, items: false },
  description: countDescription('volumes', 'volumes:list'),
  complexity: countComplexity,
} as const;

builder.queryField('volumeCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter, ...workspaceArgument },
    resolve: (_root, args, ctx) => countVolumes(ctx, args),
  }),
);

builder.objectField(WorkspaceType, 'volumeCounts', (t) =>
  t.field({
    ...counts,
    type: [GroupCountType],
    args: { ...counted, search: listArguments.search, ...filter },
    resolve: ({ name }, args, ctx) => countVolumes(ctx, { ...args, workspace: name }),
  }),
);

builder.objectField(AccountType, 'volumes', (t) =>
  t.connection(
    {
      type: VolumeType,
      nullable: true,
      description: 'The volumes in all of its workspaces within reach, as one list. Needs the scope volumes:list.',
      args: { ...billedListArguments, ...filter },
      complexity: billedListComplexity,
      resolve: ({ id: accountId }, args, ctx, info) =>
        resolveList(args, info, (input) => listAccountVolumes(ctx, { ...input, accountId })),
    },
    connection,
  ),
);

addCreateMutation('VOLUME', {
  type: VolumeType,
  description: 'Creates a volume. Needs the scope volumes:create.',
  args: createInput('VOLUME', (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(volumeSpec), required: true, description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => createVolume(ctx, input),
});

addUpdateMutation('VOLUME', {
  type: VolumeType,
  description: 'Updates a volume. Needs the scope volumes:create.',
  args: updateInput('VOLUME', (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(volumeSpec), description: 'Desired configuration.' }),
  })),
  run: (ctx, { input }) => updateVolume(ctx, input),
});

addDeleteMutation('VOLUME', {
  type: VolumeType,
  description: 'Deletes a volume that no agent or sandbox has attached. Needs the scope volumes:delete.',
  args: deleteInput('VOLUME', () => ({})),
  run: (ctx, { input }) => deleteVolume(ctx, input),
});
