import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import { metadata } from '../../../schema/resource.js';
import { SandboxType } from './graphql.js';
import { sandboxSpec } from '../../../resources/sandboxes/sandbox.js';
import type { SandboxRow } from '../../../resources/sandboxes/sandbox.js';
import { createSandbox, deleteSandbox, updateSandbox } from '../../../resources/sandboxes/sandbox-changes.js';

interface SandboxPayload {
  sandbox: Found<SandboxRow>;
}

const CreateResult = resultType<SandboxPayload>('CreateSandbox', 'What createSandbox made', (t) => ({
  sandbox: t.expose('sandbox', { type: SandboxType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateSandboxInput', {
  description: 'The sandbox to make.',
  fields: (t) => ({
    ...changeArguments(t),
    metadata: t.field({ type: inputType(metadata), required: true, description: 'What it is called.' }),
    spec: t.field({ type: inputType(sandboxSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('createSandbox', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: 'Makes a sandbox. Needs the scope sandboxes:create.',
    extensions: keepsAnswer('sandbox'),
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The sandbox.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ sandbox: await createSandbox(ctx, input) })),
  }),
);

const UpdateResult = resultType<SandboxPayload>('UpdateSandbox', 'What updateSandbox changed', (t) => ({
  sandbox: t.expose('sandbox', { type: SandboxType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateSandboxInput', {
  description: 'Which sandbox to change, and what of it. What is absent stays, null removes, lists are replaced whole.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the sandbox.' }),
    metadata: t.field({ type: updateInputType(metadata), description: 'What it is called.' }),
    spec: t.field({ type: updateInputType(sandboxSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('updateSandbox', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes a sandbox. Needs the scope sandboxes:update.',
    extensions: keepsAnswer('sandbox'),
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ sandbox: await updateSandbox(ctx, input) })),
  }),
);

const DeleteResult = resultType<SandboxPayload>('DeleteSandbox', 'What deleteSandbox removed', (t) => ({
  sandbox: t.expose('sandbox', { type: SandboxType, nullable: false, description: 'As it was.' }),
}));

const DeleteInput = builder.inputType('DeleteSandboxInput', {
  description: 'Which sandbox to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the sandbox.' }),
  }),
});

builder.mutationField('deleteSandbox', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes a sandbox with its previews. Needs the scope sandboxes:delete.',
    extensions: keepsAnswer('sandbox'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ sandbox: await deleteSandbox(ctx, input) })),
  }),
);
