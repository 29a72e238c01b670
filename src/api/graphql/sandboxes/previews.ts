import { addressOf, parentNameField } from '../address.js';
import type { AddressInput } from '../address.js';
import { filterArgument } from '../filter-argument.js';
import { builder } from '../builder.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity, orNull } from '../connection.js';
import { countComplexity, countDescription, groupByArgument, GroupCountType } from '../group-counts.js';
import { EventfulInterface, NamedMetadataInterface } from '../resource.js';
import { connectionOf, namedListArguments } from '../resource-fields.js';
import { foundId, resolveList } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { selectedColumns } from '../selection.js';
import { objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { previewGroupings } from '../../../store/read/grouping.js';
import { workspaceEdge } from '../accounts/accounts.js';
import { creatorEdge, updaterEdge } from '../accounts/authors.js';
import { SandboxType } from './sandboxes.js';
import {
  previewKind,
  previewMetadata,
  previewMetadataColumns,
  previewMetadataOf,
  previewSpec,
} from '../../../resources/sandboxes/preview.js';
import type { PreviewRow } from '../../../resources/sandboxes/preview.js';
import { countPreviews, findPreviews, getPreview, listPreviews } from '../../../resources/sandboxes/previews.js';
import { findSandboxes } from '../../../resources/sandboxes/sandboxes.js';
import { addCreateMutation, addDeleteMutation, addUpdateMutation } from '../resource-mutations.js';
import { inputType, updateInputType } from '../shape-input.js';
import { createPreview, deletePreviewOf, updatePreview } from '../../../resources/sandboxes/preview-changes.js';

const PreviewMetadataType = objectType(previewMetadata, [NamedMetadataInterface]);

const PreviewSpecType = objectType(previewSpec);

const preview = rowFields<PreviewRow>();

export const PreviewType = builder.node(builder.objectRef<PartialResource<PreviewRow>>('SandboxPreview'), {
  description: 'A URL that exposes a port of a sandbox.',
  interfaces: [EventfulInterface, NamedInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findPreviews(ctx, ids),
  fields: (t) => ({
    sandbox: t.field({
      type: SandboxType,
      description: 'The sandbox of the preview.',
      ...preview.owner('sandboxId', ({ sandboxId }) => sandboxId, findSandboxes, [['sandboxes:get']]),
    }),
    workspace: t.field(workspaceEdge),
    creator: t.field(creatorEdge),
    updater: t.field(updaterEdge),
    metadata: t.field({
      type: PreviewMetadataType,
      nullable: false,
      ...preview.part(['name'], previewMetadataColumns, (row, found) => previewMetadataOf(found, row)),
    }),
    spec: t.field({ type: PreviewSpecType, nullable: false, ...preview.of(['spec'], ({ spec }) => spec) }),
  }),
});

const filter = filterArgument('SandboxPreview', previewKind.criteria);

const connection = connectionOf(PreviewType, 'SandboxPreview', 'previews');

builder.objectField(SandboxType, 'preview', (t) =>
  t.field({
    type: PreviewType,
    extensions: requiresScopes([['admin']]),
    description: 'A preview of the sandbox by name, or null if there is none.',
    args: { name: t.arg.string({ required: true, description: 'Name of the preview.' }) },
    resolve: (owner, { name }, ctx, info) => orNull(getPreview(ctx, owner, { name, columns: selectedColumns(info) })),
  }),
);

builder.objectField(SandboxType, 'previews', (t) =>
  t.connection(
    {
      type: PreviewType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description: 'Previews of the sandbox.',
      args: { ...namedListArguments, ...filter },
      complexity: connectionComplexity,
      resolve: (owner, args, ctx, info) =>
        resolveList(args, info, (input) => listPreviews(ctx, owner, { ...input, isOneOfMany: true })),
    },
    connection,
  ),
);

builder.objectField(SandboxType, 'previewCounts', (t) =>
  t.field({
    type: [GroupCountType],
    nullable: { list: true, items: false },
    extensions: requiresScopes([['admin']]),
    description: countDescription('previews'),
    args: { ...groupByArgument('SandboxPreview', previewGroupings), search: namedListArguments.search, ...filter },
    complexity: countComplexity,
    resolve: (owner, args, ctx) => countPreviews(ctx, owner, args),
  }),
);

addCreateMutation('SANDBOX_PREVIEW', {
  type: PreviewType,
  scopes: [['sandboxes:update']],
  description: 'Creates a preview of a sandbox.',
  input: (t) => ({
    sandboxName: t.string({ required: true, description: 'Name of the sandbox.' }),
    metadata: t.field({
      type: inputType(previewMetadata),
      required: true,
      description: 'Name, display name and labels.',
    }),
    spec: t.field({ type: inputType(previewSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => createPreview(ctx, input),
});

addUpdateMutation('SANDBOX_PREVIEW', {
  type: PreviewType,
  scopes: [['sandboxes:update']],
  description: 'Updates a preview of a sandbox.',
  input: (t) => ({
    sandboxName: parentNameField(t, 'sandbox'),
    metadata: t.field({ type: updateInputType(previewMetadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(previewSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => updatePreview(ctx, previewOf(input)),
});

addDeleteMutation('SANDBOX_PREVIEW', {
  type: PreviewType,
  scopes: [['sandboxes:update']],
  description: 'Deletes a preview of a sandbox.',
  input: (t) => ({
    sandboxName: parentNameField(t, 'sandbox'),
  }),
  run: (ctx, input) => deletePreviewOf(ctx, previewOf(input)),
});

function previewOf<Input extends AddressInput & { sandboxName?: string | null | undefined }>(input: Input) {
  return { ...input, ...addressOf('SandboxPreview', input, { sandboxName: input.sandboxName, name: input.name }) };
}
