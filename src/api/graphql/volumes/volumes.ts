import { withReference } from '../reference.js';
import { builder } from '../builder.js';
import { NamedInterface } from '../named.js';
import { BilledInterface, EventfulInterface, ResourceInterface } from '../resource.js';
import { foundId } from '../resource-list.js';
import { rowFields } from '../row-fields.js';
import { objectType } from '../shape-type.js';
import type { PartialResource } from '../../../store/read/resource.js';
import { specifiedGroupings } from '../../../store/read/grouping.js';
import { volumeKind, volumeSpec } from '../../../resources/volumes/volume.js';
import type { VolumeRow } from '../../../resources/volumes/volume.js';
import { findResources } from '../../../resources/resource-reads.js';
import { addCreateMutation, addDeleteMutation, addRedeployMutation, addUpdateMutation } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { inputType, updateInputType } from '../shape-input.js';
import { metadata } from '../../../schema/resource.js';
import { createVolume, deleteVolume, redeployVolume, updateVolume } from '../../../resources/volumes/volume-changes.js';

const VolumeSpecType = objectType(volumeSpec);

const volume = rowFields<VolumeRow>();

export const VolumeType = builder.node(builder.objectRef<PartialResource<VolumeRow>>('Volume'), {
  description: 'A persistent volume.',
  interfaces: [BilledInterface, EventfulInterface, NamedInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findResources(ctx, volumeKind, ids),
  fields: (t) => ({
    spec: t.field({ type: VolumeSpecType, nullable: false, ...volume.of(['spec'], ({ spec }) => spec) }),
  }),
});

addResourceQueries('VOLUME', { type: VolumeType, kind: volumeKind, many: 'volumes', groupings: specifiedGroupings });

addCreateMutation('VOLUME', {
  type: VolumeType,
  scopes: [['volumes:create']],
  description: 'Creates a volume.',
  input: (t) => ({
    metadata: t.field({ type: inputType(metadata), required: true, description: 'Name, display name and labels.' }),
    spec: t.field({ type: inputType(volumeSpec), required: true, description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => createVolume(ctx, input),
});

addUpdateMutation('VOLUME', {
  type: VolumeType,
  scopes: [['volumes:create']],
  description: 'Updates a volume.',
  input: (t) => ({
    metadata: t.field({ type: updateInputType(metadata), description: 'Display name and labels.' }),
    spec: t.field({ type: updateInputType(volumeSpec), description: 'Desired configuration.' }),
  }),
  run: (ctx, input) => updateVolume(ctx, withReference('Volume', input)),
});

addDeleteMutation('VOLUME', {
  type: VolumeType,
  scopes: [['volumes:delete']],
  description: 'Deletes a volume that no agent or sandbox has attached.',
  input: () => ({}),
  run: (ctx, input) => deleteVolume(ctx, withReference('Volume', input)),
});

addRedeployMutation('VOLUME', {
  type: VolumeType,
  scopes: [['volumes:create']],
  input: () => ({}),
  run: (ctx, input) => redeployVolume(ctx, withReference('Volume', input)),
});
