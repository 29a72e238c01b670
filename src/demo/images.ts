import type { ImageResourceType } from '../resources/images/image.js';
import type { ImageInput, ImageShareInput } from '../resources/images/image-input.js';
import { demoOwner, subjects, tasks } from './company.js';
import { createRandom, idOf } from './random.js';
import { dayMs, hourMs, livedSince } from './times.js';

/** What images there are: those of agents first, under the agents' names. */
const repositories: { resourceType: ImageResourceType; name: string; title: string; from?: string }[] = [
  ...subjects.map(({ word, title }, index) => {
    const task = tasks[(index * 5) % tasks.length] ?? tasks[0];
    return { resourceType: 'agents' as const, name: `${word}-${task.word}`, title: `${title} ${task.title}` };
  }),
  ...['web-review', 'notebook', 'replay'].map((name) => ({ resourceType: 'sandboxes' as const, name, title: name })),
  ...['tariff-import', 'invoice-export', 'scorecard', 'reindex', 'filing'].map((name) => ({
    resourceType: 'jobs' as const,
    name,
    title: name,
  })),
  ...['quote-price', 'lookup-hs-code', 'verify-seal'].map((name) => ({
    resourceType: 'functions' as const,
    name,
    title: name,
  })),
  { resourceType: 'sandboxes', name: 'tide-tables', title: 'Tide tables', from: 'tidewater' },
  { resourceType: 'agents', name: 'berth-planner', title: 'Berth planner', from: 'tidewater' },
];

/** Images of one workspace with their tags: a few have dozens. */
export function demoImages(workspace: string, count: number, end: Date): ImageInput[] {
  const shared = repositories.filter(({ from }) => from !== undefined && from !== workspace);
  const own = repositories.filter(({ from }) => from === undefined);
  const chosen = [...own.slice(0, Math.max(count - shared.length, 1)), ...shared];
  return chosen.map(({ resourceType, name, title, from }, index): ImageInput => {
    const random = createRandom(`${workspace} image ${resourceType} ${name}`);
    const { createdAt } = livedSince(random, end, 280);
    const tagCount = index % 7 === 0 ? 36 : random.below(9) + 1;
    const step = Math.floor((end.getTime() - createdAt.getTime()) / (tagCount + 1));
    const at = (tag: number) => new Date(createdAt.getTime() + tag * step).toISOString();
    const layerBytes = 90_000_000 + random.below(400_000_000);
    const path = `${workspace}/images/${resourceType}/${name}`;
    return {
      id: idOf(path),
      resourceType,
      name,
      displayName: title.slice(0, 63),
      ...(from === undefined ? {} : { sourceWorkspace: from }),
      createdAt: at(0),
      updatedAt: at(tagCount),
      ...(random.percent(85) ? { lastDeployedAt: new Date(Date.parse(at(tagCount)) + hourMs / 6).toISOString() } : {}),
      tags: Array.from({ length: tagCount }, (_, tag) => ({
        id: idOf(`${path}:r${tag + 1}`),
        name: `r${tag + 1}`,
        size: layerBytes + random.below(6_000_000),
        createdAt: at(tag + 1),
        updatedAt: at(tag + 1),
      })),
      events: [
        { time: at(0), type: 'push', status: 'BUILT', message: 'First image pushed', revision: 'r1' },
        {
          time: at(tagCount),
          type: 'push',
          status: 'BUILT',
          message: 'Image pushed by the build',
          revision: `r${tagCount}`,
        },
      ],
    };
  });
}

interface Offer {
  resourceType: ImageResourceType;
  imageName: string;
  status: 'pending' | 'accepted' | 'declined';
}

const offers: Offer[] = [
  { resourceType: 'sandboxes', imageName: 'tide-tables', status: 'accepted' },
  { resourceType: 'agents', imageName: 'berth-planner', status: 'accepted' },
  { resourceType: 'agents', imageName: 'pilot-dispatcher', status: 'pending' },
  { resourceType: 'jobs', imageName: 'current-forecast', status: 'pending' },
  { resourceType: 'functions', imageName: 'draught-check', status: 'pending' },
  { resourceType: 'jobs', imageName: 'sonar-mosaic', status: 'declined' },
];

/** What another account's workspace offers to one workspace. */
export function demoImageShares(workspace: string, count: number, end: Date): ImageShareInput[] {
  const isTidewater = workspace === 'tidewater';
  const source = isTidewater
    ? { sourceAccount: 'meridian-freight', sourceWorkspace: 'meridian-research' }
    : { sourceAccount: 'tidewater-labs', sourceWorkspace: 'tidewater' };
  const offeredBy = isTidewater ? demoOwner : 'noor@tidewater.example.com';
  return offers.slice(-count).map(({ resourceType, imageName, status }, index): ImageShareInput => {
    const offeredAt = new Date(end.getTime() - (index + 2) * 3 * dayMs);
    const decidedAt = new Date(offeredAt.getTime() + 26 * hourMs).toISOString();
    const decidedBy = isTidewater ? 'noor@tidewater.example.com' : demoOwner;
    const isDecided = status !== 'pending';
    return {
      id: idOf(`${workspace}/image-shares/${imageName}`),
      resourceType,
      imageName,
      ...source,
      status,
      createdAt: offeredAt.toISOString(),
      createdBy: offeredBy,
      updatedAt: isDecided ? decidedAt : offeredAt.toISOString(),
      updatedBy: isDecided ? decidedBy : offeredBy,
      ...(isDecided ? { decidedAt, decidedBy } : {}),
      events: [
        { time: offeredAt.toISOString(), type: 'offer', status: 'pending', message: `Offered by ${offeredBy}` },
        ...(isDecided ? [{ time: decidedAt, type: 'decision', status, message: `${status} by ${decidedBy}` }] : []),
      ],
    };
  });
}
