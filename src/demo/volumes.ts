import type { VolumeInput } from '../resources/volumes/volume-input.js';
import { openRegions, subjects } from './company.js';
import { provisioningEventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { livedSince, madeBy } from './times.js';

/** The region of the volume that holds a subject's models, and so of whatever attaches it. */
export function placeOfModels(workspace: string, subject: string): string {
  return createRandom(`${workspace} models of ${subject}`).pick(openRegions);
}

const archives = [
  ['document-archive', 'Document archive'],
  ['telemetry-spool', 'Telemetry spool'],
  ['training-sets', 'Training sets'],
  ['claims-evidence', 'Claims evidence'],
  ['port-charts', 'Port charts'],
] as const;

/** Volumes of one workspace: the models that its agents and sandboxes attach, then archives. */
export function demoVolumes(workspace: string, count: number, end: Date): VolumeInput[] {
  const models = subjects.map(({ word, title, team }) => ({
    name: `${word}-models`,
    displayName: `${title} models`,
    team,
    region: placeOfModels(workspace, word),
  }));
  const others = archives.map(([name, displayName]) => ({
    name,
    displayName,
    team: 'platform',
    region: createRandom(`${workspace} place of ${name}`).pick(openRegions),
  }));
  return [...models, ...others].slice(0, count).map(({ name, displayName, team, region }, index): VolumeInput => {
    const random = createRandom(`${workspace} volume ${name}`);
    const lived = livedSince(random, end, 300);
    const status = index === 3 ? 'DEPLOYING' : index === 11 ? 'FAILED' : index === 17 ? 'DELETING' : 'DEPLOYED';
    return {
      id: idOf(`${workspace}/volumes/${name}`),
      metadata: { name, displayName, labels: { team }, ...madeBy(random, workspace, lived) },
      status,
      spec: { region, sizeMb: random.pick([5_120, 20_480, 102_400, 512_000]) },
      events: provisioningEventsOf(status, lived.createdAt, lived.updatedAt),
    };
  });
}
