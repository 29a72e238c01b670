import type { z } from 'zod';
import type { Appending } from '../../changes/change-rows.js';
import { insertRows, newResourceRow, resourceInput } from '../../store/write/resource-input.js';
import { volumeSpec } from './volume.js';

export const volumeInput = resourceInput.extend({ spec: volumeSpec });

export type VolumeInput = z.input<typeof volumeInput>;

/** Inserts volumes of one workspace with their events, all or none. @throws {z.ZodError} */
export async function insertVolumes(db: Appending, workspaceId: string, inputs: VolumeInput[]): Promise<void> {
  const rows = inputs.map((input) => {
    const { spec, ...checked } = volumeInput.parse(input);
    return newResourceRow(workspaceId, checked, spec);
  });
  await insertRows(db, 'volume', rows);
}
