import { builder } from '../../graphql/builder.js';
import { EventfulInterface, ResourceInterface } from '../../graphql/resource.js';
import { foundId } from '../../graphql/resource-list.js';
import { addResourceFields } from '../../graphql/resource-fields.js';
import { WorkspaceType } from '../accounts/graphql.js';
import type { Found } from '../resource-kind.js';
import type { Volume, VolumeSpec } from './volume.js';
import { findVolumes, getVolume, listVolumes } from './volumes.js';

const VolumeSpecType = builder.objectRef<VolumeSpec>('VolumeSpec').implement({
  description: 'What a volume is meant to be.',
  fields: (t) => ({
    region: t.exposeString('region', { nullable: false, description: 'Workloads of the same region can attach it.' }),
    sizeMb: t.exposeInt('sizeMb', { nullable: false, description: 'Megabytes.' }),
  }),
});

export const VolumeType = builder.node(builder.objectRef<Found<Volume>>('Volume'), {
  description: 'A persistent volume. Lists need volumes:list, one needs volumes:get.',
  interfaces: [EventfulInterface, ResourceInterface],
  id: foundId,
  loadManyWithoutCache: (ids, ctx) => findVolumes(ctx, ids),
  fields: (t) => ({
    spec: t.field({ type: VolumeSpecType, nullable: false, resolve: ({ resource }) => resource.spec }),
  }),
});

addResourceFields(VolumeType, WorkspaceType, {
  name: 'Volume',
  one: 'volume',
  many: 'volumes',
  scopes: { list: 'volumes:list', get: 'volumes:get' },
  list: listVolumes,
  get: getVolume,
});
