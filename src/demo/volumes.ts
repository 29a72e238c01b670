import type { VolumeInput } from '../resources/volumes/volume-input.js';
import { regions, subjects } from './company.js';
import { eventsOf } from './events.js';
import { createRandom, idOf } from './random.js';
import { livedSince, madeBy } from './times.js';

const archives = ['document-archive', 'telemetry-spool', 'training-sets', 'claims-evidence', 'port-charts'] as const;

/** Volumes of one workspace: the models that its agents and sandboxes attach, then archives. */
export function demoVolumes(workspace: string, count: number, end: Date): VolumeInput[] {
  const names = [
    ...subjects.map(({ word, title, team }) => ({ name: `${word}-models`, title: `${title} models`, team })),
    ...archives.map((name) => ({ name, title: name.replaceAll('-', ' '), team: 'platform' })),
  ];
  return names.slice(0, count).map(({ name, title, team }, index): VolumeInput => {
    const random = createRandom(`${workspace} volume ${name}`);
    const lived = livedSince(random, end, 300);
    const status = index === 3 ? 'DEPLOYING' : index === 11 ? 'FAILED' : index === 17 ? 'DELETING' : 'DEPLOYED';
    return {
      id: idOf(`${workspace}/volumes/${name}`),
      metadata: { name, displayName: title, labels: { team }, ...madeBy(random, lived) },
      status,
      spec: { region: random.pick(regions), sizeMb: random.pick([5_120, 20_480, 102_400, 512_000]) },
      events: eventsOf(status, lived.createdAt, lived.updatedAt, 'r1', undefined).slice(-2),
    };
  });
}
