import { volumeInput } from './rows/volume-input.js';
import type { VolumeInput } from './rows/volume-input.js';
import { madeBy } from './actors.js';
import { documentsOf } from './documents.js';
import { provisioningEventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { livedAs, livedSince } from './times.js';

/** The region of the volume with a subject's models, and therefore of its workloads. */
export function placeOfModels(workspace: string, subject: string): string | undefined {
  const volume = documentsOf('Volume', workspace).find(({ name }) => name === `${subject}-models`);
  return volume && String(volume.spec['region']);
}

/** Volumes that are not deployed, by their index in a workspace. */
const unfinished: { readonly [index: number]: 'DEPLOYING' | 'FAILED' | 'DELETING' | undefined } = {
  3: 'DEPLOYING',
  11: 'FAILED',
  17: 'DELETING',
};

/** The volumes of one workspace with their state. The same arguments return the same volumes. */
export function demoVolumes(workspace: string, end: Date): VolumeInput[] {
  return documentsOf('Volume', workspace).map(({ name, metadata, spec }, index) => {
    const random = createRandom(`${workspace} volume ${name}`);
    const status = unfinished[index] ?? 'DEPLOYED';
    // Workloads attach the volumes of models, and are newer.
    const age = name.endsWith('-models') ? { min: 300, max: 385 } : { min: 0, max: 300 };
    const lived = livedAs(status, livedSince(random, end, age.max, age.min), random, end);
    return volumeInput.parse({
      id: idOf(`${workspace}/volumes/${name}`),
      metadata: { ...metadata, ...madeBy(random, workspace, lived, status) },
      status,
      spec,
      events: provisioningEventsOf(status, lived.createdAt, lived.updatedAt),
    });
  });
}
