import { workspaceResources } from '../authorized-list.js';
import { specifiedKind } from '../resource-row.js';
import { volumeFromRow } from './volume.js';

export const {
  list: listVolumes,
  get: getVolume,
  find: findVolumes,
} = workspaceResources(specifiedKind('volume', 'volume', volumeFromRow), { list: 'volumes:list', get: 'volumes:get' });
