import { referenceOf, parentNameField } from '../reference.js';
import type { ReferenceInput } from '../reference.js';
import { builder } from '../builder.js';
import { NamedInterface } from '../named.js';
import { EventfulInterface, NamedMetadataInterface } from '../resource.js';
import { namedListArguments } from '../resource-fields.js';
import { foundId } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { previewGroupings } from '../../../store/read/grouping.js';
import { workspaceEdge } from '../accounts/accounts.js';
import { creatorEdge, updaterEdge } from '../accounts/authors.js';
import { SandboxType } from './sandboxes.js';
import {
  maskedPreviewSpec,
  previewKind,
  previewMetadata,
  previewMetadataColumns,
  previewMetadataOf,
  previewSpec,
} from '../../../resources/sandboxes/preview.js';
import type { PreviewRow } from '../../../resources/sandboxes/preview.js';
import { findResources } from '../../../resources/resource-reads.js';
import { addChildQueries } from '../resource-queries.js';
import { sandboxKind } from '../../../resources/sandboxes/sandbox.js';
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
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, previewKind, ids),
  fields: (t) => ({
    sandbox: t.field({
      type: SandboxType,
      description: 'The sandbox of the preview.',
      ...preview.owner('sandboxId', sandboxKind),
    }),
    workspace: t.field(workspaceEdge),
    creator: t.field(creatorEdge),
    updater: t.field(updaterEdge),
    metadata: t.field({
      type: PreviewMetadataType,
      nullable: false,
      ...preview.part(['name'], previewMetadataColumns, (row, found) => previewMetadataOf(found, row)),
    }),
    spec: t.field({
      type: PreviewSpecType,
      nullable: false,
      ...preview.of(['spec'], ({ spec }) => maskedPreviewSpec(spec)),
    }),
  }),
});

addChildQueries('SANDBOX_PREVIEW', {
  type: PreviewType,
  kind: previewKind,
  parentType: SandboxType,
  args: namedListArguments,
  groupings: previewGroupings,
  isListNullable: true,
  words: { one: 'A preview', many: 'previews', container: 'the sandbox' },
});

addCreateMutation('SANDBOX_PREVIEW', {
  type: PreviewType,
  scopes: [['sandboxes:update']],
  description: 'Creates a preview of a sandbox.',
  input: (t) => ({
    sandboxName: t.string({ required: true, description: 'Name of the sandbox.' }),
    metadata: t.field({
      type: inputType(previewMetadata),
      required: true,
      description: 'Name, display name and protection.',
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
    metadata: t.field({ type: updateInputType(previewMetadata), description: 'Display name and protection.' }),
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

function previewOf<Input extends ReferenceInput & { sandboxName?: string | null | undefined }>(input: Input) {
  return { ...input, ...referenceOf('SandboxPreview', input, { sandboxName: input.sandboxName, name: input.name }) };
}
