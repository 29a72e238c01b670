import { Prisma } from '../../database/client/client.js';
import { specifiedInput } from '../specified-changes.js';
import type { SpecifiedKind } from '../specified-changes.js';
import { regionPrecondition } from '../../store/write/region-precondition.js';
import { resourceFromRow } from '../../store/read/resource-row.js';
import { specifiedColumnsOf } from '../../store/write/row-columns.js';
import { requireUnused } from '../../store/write/unused.js';
import { attachedWorkloadsSql, volumeKind, volumeSpec } from './volume.js';
import type { VolumeSpec } from './volume.js';

/** The region of a volume cannot change, because attached workloads run there. Only unattached volumes can be deleted. */
export const writableVolumes: SpecifiedKind<VolumeSpec> = {
  kind: volumeKind,
  // The specification has no scope for updates of volumes.
  scopes: { create: 'volumes:create', update: 'volumes:create', delete: 'volumes:delete' },
  input: specifiedInput(volumeSpec),
  columnsOf: specifiedColumnsOf,
  shown: (volume) => resourceFromRow(volume, volume.row.spec),
  preconditionOf: regionPrecondition,
  checkDeletion: (within, { row: { name } }) => {
    const users = attachedWorkloadsSql(Prisma.sql`${within.workspace.id}::uuid`, Prisma.sql`${name}::text`);
    return requireUnused(within, { label: volumeKind.label, name }, users);
  },
};
