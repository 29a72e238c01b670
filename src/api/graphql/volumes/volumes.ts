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
import { addSpecifiedMutations } from '../resource-mutations.js';
import { addResourceQueries } from '../resource-queries.js';
import { writableVolumes } from '../../../resources/volumes/volume-changes.js';

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

addSpecifiedMutations(writableVolumes, {
  type: VolumeType,
  spec: volumeSpec,
  isSpecRequired: true,
  deletion: 'Deletes a volume that no agent or sandbox has attached.',
});
