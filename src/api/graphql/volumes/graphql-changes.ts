import { builder } from '../builder.js';
import { changeArguments, versionArgument } from '../change-arguments.js';
import { keepsAnswer, resultOf, resultType } from '../mutation.js';
import { inputType, updateInputType } from '../shape-input.js';
import type { Found } from '../../../store/read/found.js';
import { metadata } from '../../../schema/resource.js';
import { VolumeType } from './graphql.js';
import { volumeSpec } from '../../../resources/volumes/volume.js';
import type { VolumeRow } from '../../../resources/volumes/volume.js';
import { createVolume, deleteVolume, updateVolume } from '../../../resources/volumes/volume-changes.js';

interface VolumePayload {
  volume: Found<VolumeRow>;
}

const CreateResult = resultType<VolumePayload>('CreateVolume', 'What createVolume made', (t) => ({
  volume: t.expose('volume', { type: VolumeType, nullable: false }),
}));

const CreateInput = builder.inputType('CreateVolumeInput', {
  description: 'The volume to make.',
  fields: (t) => ({
    ...changeArguments(t),
    metadata: t.field({ type: inputType(metadata), required: true, description: 'What it is called.' }),
    spec: t.field({ type: inputType(volumeSpec), required: true, description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('createVolume', (t) =>
  t.field({
    type: CreateResult,
    nullable: false,
    description: 'Makes a volume. Needs the scope volumes:create.',
    extensions: keepsAnswer('volume'),
    args: { input: t.arg({ type: CreateInput, required: true, description: 'The volume.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ volume: await createVolume(ctx, input) })),
  }),
);

const UpdateResult = resultType<VolumePayload>('UpdateVolume', 'What updateVolume changed', (t) => ({
  volume: t.expose('volume', { type: VolumeType, nullable: false, description: 'As it now is.' }),
}));

const UpdateInput = builder.inputType('UpdateVolumeInput', {
  description: 'Which volume to change, and what of it. What is absent stays, null removes, lists are replaced whole.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the volume.' }),
    metadata: t.field({ type: updateInputType(metadata), description: 'What it is called.' }),
    spec: t.field({ type: updateInputType(volumeSpec), description: 'What it is meant to be.' }),
  }),
});

builder.mutationField('updateVolume', (t) =>
  t.field({
    type: UpdateResult,
    nullable: false,
    description: 'Changes a volume. Needs the scope volumes:create.',
    extensions: keepsAnswer('volume'),
    args: { input: t.arg({ type: UpdateInput, required: true, description: 'Which one, and what of it.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ volume: await updateVolume(ctx, input) })),
  }),
);

const DeleteResult = resultType<VolumePayload>('DeleteVolume', 'What deleteVolume removed', (t) => ({
  volume: t.expose('volume', { type: VolumeType, nullable: false, description: 'As it was.' }),
}));

const DeleteInput = builder.inputType('DeleteVolumeInput', {
  description: 'Which volume to delete.',
  fields: (t) => ({
    ...changeArguments(t),
    ...versionArgument(t),
    name: t.string({ required: true, description: 'Name of the volume.' }),
  }),
});

builder.mutationField('deleteVolume', (t) =>
  t.field({
    type: DeleteResult,
    nullable: false,
    description: 'Deletes a volume that no agent or sandbox has attached. Needs the scope volumes:delete.',
    extensions: keepsAnswer('volume'),
    args: { input: t.arg({ type: DeleteInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) => resultOf(async () => ({ volume: await deleteVolume(ctx, input) })),
  }),
);
