import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import { PreviewType } from './graphql-previews.js';
import { previewMetadata, previewSpec } from '../../../resources/sandboxes/preview.js';
import type { PreviewRow } from '../../../resources/sandboxes/preview.js';
import { createPreview, deletePreviewOf, updatePreview } from '../../../resources/sandboxes/preview-changes.js';

interface PreviewPayload {
  sandboxPreview: Found<PreviewRow>;
}

const CreateResult = resultType<PreviewPayload>('CreateSandboxPreview', 'What createSandboxPreview made', (t) => ({
  sandboxPreview: t.expose('sandboxPreview', { type: PreviewType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateSandboxPreviewInput', {
  description: 'The preview to make, and of which sandbox.',
  fields: (t) => ({
    ...changeArguments(t),
    sandboxName: t.string({ required: true, description: 'Name of the sandbox.' }),
    metadata: t.field({ type: inputType(previewMetadata), required: true, description: 'What it is called.' }),
    spec: t.field({ type: inputType(previewSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('createSandboxPreview', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: 'Makes a preview of a sandbox. Needs the scope sandboxes:update.',
    extensions: keepsAnswer('sandboxPreview'),
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The preview.' }) },
    resolve: (_root, { input: { sandboxName: sandbox, ...input } }, ctx) =>
      resultOf(async () => ({ sandboxPreview: await createPreview(ctx, { ...input, sandbox }) })),
  }),
);

const UpdateResult = resultType<PreviewPayload>('UpdateSandboxPreview', 'What updateSandboxPreview changed', (t) => ({
  sandboxPreview: t.expose('sandboxPreview', { type: PreviewType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateSandboxPreviewInput', {
  description: 'Which preview to change, and what of it. What is absent stays, null removes.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    sandboxName: t.string({ required: true, description: 'Name of the sandbox.' }),
    name: t.string({ required: true, description: 'Name of the preview.' }),
    metadata: t.field({ type: updateInputType(previewMetadata), description: 'What it is called.' }),
    spec: t.field({ type: updateInputType(previewSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('updateSandboxPreview', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes a preview of a sandbox. Needs the scope sandboxes:update.',
    extensions: keepsAnswer('sandboxPreview'),
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input: { sandboxName: sandbox, ...input } }, ctx) =>
      resultOf(async () => ({ sandboxPreview: await updatePreview(ctx, { ...input, sandbox }) })),
  }),
);

const DeleteResult = resultType<PreviewPayload>('DeleteSandboxPreview', 'What deleteSandboxPreview removed', (t) => ({
  sandboxPreview: t.expose('sandboxPreview', {
    type: PreviewType,
    nullable: false,
    description: 'The preview as it was, its events ending with the deletion.',
  }),
}));

const DeleteInput = builder.inputType('DeleteSandboxPreviewInput', {
  description: 'Which preview to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    sandboxName: t.string({ required: true, description: 'Name of the sandbox.' }),
    previewName: t.string({ required: true, description: 'Name of the preview.' }),
  }),
});

builder.mutationField('deleteSandboxPreview', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes a preview of a sandbox. Needs the scope sandboxes:update.',
    extensions: keepsAnswer('sandboxPreview'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input: { sandboxName: sandbox, previewName: name, ...input } }, ctx) =>
      resultOf(async () => ({ sandboxPreview: await deletePreviewOf(ctx, { ...input, sandbox, name }) })),
  }),
);
