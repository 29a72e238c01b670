import type { ImageResourceType } from '../resources/images/image.js';
import type { ImageInput } from './rows/image-input.js';
import { tidewaterWorkspace } from './company.js';
import { createRandom, idOf } from './random.js';
import { daysBefore, livedSince, minuteMs } from './times.js';

/** Workloads with an image: `registry.…/{resource type}/{name}:r{revision}`. */
interface Running {
  metadata: { name: string };
  spec: {
    runtime?: { image?: string | undefined } | undefined;
    revision?: { canary?: string | undefined } | undefined;
  };
}

/** The workloads of a workspace. */
export interface Workloads {
  agents: Running[];
  sandboxes: Running[];
  jobs: Running[];
}

interface Repository {
  resourceType: ImageResourceType;
  name: string;
  /** The number of tags, from r1 onwards. */
  revisions: number;
}

/** Images without workloads in the workspace: functions, and images that Tidewater builds for others. */
const shelf: Record<'meridian' | 'tidewater', Repository[]> = {
  meridian: [
    { resourceType: 'functions', name: 'quote-price', revisions: 12 },
    { resourceType: 'functions', name: 'lookup-hs-code', revisions: 31 },
    { resourceType: 'functions', name: 'verify-seal', revisions: 4 },
  ],
  tidewater: [
    { resourceType: 'sandboxes', name: 'tide-tables', revisions: 33 },
    { resourceType: 'agents', name: 'berth-planner', revisions: 9 },
    { resourceType: 'agents', name: 'pilot-dispatcher', revisions: 5 },
    { resourceType: 'jobs', name: 'current-forecast', revisions: 14 },
    { resourceType: 'jobs', name: 'sonar-mosaic', revisions: 3 },
    { resourceType: 'functions', name: 'draught-check', revisions: 2 },
  ],
};

/** Images on the shelf have got no tag since before the oldest share of them (days). */
const quietDays = 40;

function shelfOf(workspace: string): Repository[] {
  return workspace === tidewaterWorkspace ? shelf.tidewater : shelf.meridian;
}

/** The images of one workspace with their tags: those of its workloads up to their revision, and those of `shelf`. */
export function demoImages(workspace: string, workloads: Workloads, end: Date): ImageInput[] {
  const run = [
    ...repositoriesOf('agents', workloads.agents),
    ...repositoriesOf('sandboxes', workloads.sandboxes),
    ...repositoriesOf('jobs', workloads.jobs),
  ];
  const quietSince = daysBefore(end, quietDays);
  return [
    ...run.map((repository) => demoImage(workspace, repository, true, end)),
    ...shelfOf(workspace).map((repository) => demoImage(workspace, repository, false, quietSince)),
  ];
}

/** The images of the workloads, with revisions up to the newest that is deployed or tested as a canary. */
function repositoriesOf(resourceType: ImageResourceType, running: Running[]): Repository[] {
  const revisions = new Map<string, number>();
  for (const { spec } of running) {
    const [, name, revision] = /\/([^/]+):r(\d+)$/.exec(spec.runtime?.image ?? '') ?? [];
    if (name === undefined) continue;
    const canary = spec.revision?.canary?.slice(1);
    revisions.set(name, Math.max(revisions.get(name) ?? 0, Number(revision), Number(canary ?? 0)));
  }
  return Array.from(revisions, ([name, count]) => ({ resourceType, name, revisions: count }));
}

function demoImage(workspace: string, repository: Repository, isRun: boolean, end: Date): ImageInput {
  const { resourceType, name, revisions } = repository;
  const path = `${workspace}/images/${resourceType}/${name}`;
  const random = createRandom(path);
  const { createdAt } = livedSince(random, end, 280, 30);
  const step = Math.floor((end.getTime() - createdAt.getTime()) / (revisions + 1));
  const at = (tag: number) => new Date(createdAt.getTime() + tag * step).toISOString();
  const layerBytes = 90_000_000 + random.below(400_000_000);
  return {
    id: idOf(path),
    resourceType,
    name,
    displayName: titleOf(name),
    createdAt: at(0),
    updatedAt: at(revisions),
    ...(isRun ? { lastDeployedAt: new Date(Date.parse(at(revisions)) + 10 * minuteMs).toISOString() } : {}),
    tags: Array.from({ length: revisions }, (_, tag) => ({
      id: idOf(`${path}:r${tag + 1}`),
      name: `r${tag + 1}`,
      size: layerBytes + random.below(6_000_000),
      createdAt: at(tag + 1),
      updatedAt: at(tag + 1),
    })),
    events: [
      { time: at(0), type: 'creation', status: 'BUILDING', message: 'Repository opened by the first build' },
      { time: at(revisions), type: 'push', status: 'BUILT', message: 'Pushed by the build', revision: `r${revisions}` },
    ],
  };
}

function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
