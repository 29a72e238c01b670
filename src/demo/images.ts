import type { ChangeRow } from '../changes/change-rows.js';
import { isResourceKind, resourceKinds } from '../resource-kinds.js';
import type { ImageResourceType } from '../resources/images/image.js';
import { registerImageTag } from '../resources/images/image-tag-changes.js';
import type { ImageInput } from './rows/image-input.js';
import { insertImages } from './rows/image-input.js';
import { deployerAt } from './actors.js';
import { requestAt } from './calls.js';
import type { Loading } from './calls.js';
import { tidewaterWorkspace } from './company.js';
import { titleOf } from './deleted.js';
import { createRandom, idOf } from './random.js';
import { daysBefore, livedSince, minuteMs } from './times.js';

const imageForm = /\/([^/]+):(r\d+)$/;

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
    ...run.map((repository) => demoImage(workspace, repository, end)),
    ...shelfOf(workspace).map((repository) => demoImage(workspace, repository, quietSince)),
  ];
}

/** The images of the workloads, with revisions up to the newest that is deployed or tested as a canary. */
function repositoriesOf(resourceType: ImageResourceType, running: Running[]): Repository[] {
  const revisions = new Map<string, number>();
  for (const { spec } of running) {
    const [, name, revision] = imageForm.exec(spec.runtime?.image ?? '') ?? [];
    if (name === undefined || revision === undefined) continue;
    const canary = spec.revision?.canary?.slice(1);
    revisions.set(name, Math.max(revisions.get(name) ?? 0, Number(revision.slice(1)), Number(canary ?? 0)));
  }
  return Array.from(revisions, ([name, count]) => ({ resourceType, name, revisions: count }));
}

function demoImage(workspace: string, repository: Repository, end: Date): ImageInput {
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
    createdAt: at(1),
    updatedAt: at(revisions),
    tags: Array.from({ length: revisions }, (_, tag) => ({
      id: idOf(`${path}:r${tag + 1}`),
      name: `r${tag + 1}`,
      size: layerBytes + random.below(6_000_000),
      createdAt: at(tag + 1),
      updatedAt: at(tag + 1),
    })),
  };
}

/** How long before its first deployment a revision is pushed at the latest. */
const pushedBeforeMs = 5 * minuteMs;

/** The images with the times that follow from the history of their workloads: a revision is pushed before it is deployed. */
export function datedImages(images: readonly ImageInput[], history: readonly ChangeRow[]): ImageInput[] {
  const { firstUse, lastDeployment } = usesIn(history);
  return images.map((image) => {
    const path = `${image.resourceType}/${image.name}`;
    let next = Number.POSITIVE_INFINITY;
    const tags = image.tags
      .toReversed()
      .map((tag) => {
        const usedAt = firstUse.get(`${path}:${tag.name}`) ?? Number.POSITIVE_INFINITY;
        next = Math.min(Date.parse(tag.createdAt), usedAt - pushedBeforeMs, next - minuteMs);
        const time = new Date(next).toISOString();
        return { ...tag, createdAt: time, updatedAt: time };
      })
      .toReversed();
    const createdAt = tags[0]?.createdAt ?? image.createdAt;
    return {
      ...image,
      tags,
      createdAt,
      updatedAt: tags.at(-1)?.createdAt ?? createdAt,
      lastDeployedAt: lastDeployment.get(path),
    };
  });
}

/** When each revision was first used, and when each image was last deployed, by its resource type and name. */
function usesIn(history: readonly ChangeRow[]) {
  const firstUse = new Map<string, number>();
  const lastDeployment = new Map<string, string>();
  const running = new Map<string, string>();
  for (const { kind, resource_id: id = '', time, status, after } of history.toSorted(byTime)) {
    const image = imageIn(after);
    if (image !== undefined && isResourceKind(kind)) {
      const [path, revision] = [`${resourceKinds[kind].list}/${image.name}`, image.revision];
      running.set(id, path);
      firstUse.set(
        `${path}:${revision}`,
        Math.min(firstUse.get(`${path}:${revision}`) ?? Number.POSITIVE_INFINITY, Date.parse(time)),
      );
    }
    const path = running.get(id);
    if (status === 'DEPLOYED' && path !== undefined) lastDeployment.set(path, time);
  }
  return { firstUse, lastDeployment };
}

const byTime = (one: ChangeRow, other: ChangeRow) => one.time.localeCompare(other.time);

/** The image of a workload in a change record. */
function imageIn(state: RunningState | undefined): { name: string; revision: string } | undefined {
  const [, name, revision] = imageForm.exec(state?.spec?.runtime?.image ?? '') ?? [];
  return name === undefined || revision === undefined ? undefined : { name, revision };
}

type RunningState = { spec?: { runtime?: { image?: string } } };

/** Inserts images without their newest tags, which are then pushed by calls. */
export async function loadImages(loading: Loading, workspace: string, images: readonly ImageInput[]): Promise<void> {
  const older = images.map((image) => ({
    ...image,
    // It is set below, also of images that the push creates.
    lastDeployedAt: undefined,
    version: image.tags.length - 1,
    tags: image.tags.slice(0, -1),
  }));
  await insertImages(
    loading.tx,
    idOf(workspace),
    older.filter(({ tags }) => tags.length > 0),
  );
  for (const { resourceType, name: imageName, tags, lastDeployedAt = null } of images) {
    for (const { name, size, createdAt } of tags.slice(-1)) {
      const at = new Date(createdAt);
      const by = deployerAt(createRandom(`push of ${imageName}`), workspace, at);
      const push = { workspace, resourceType, imageName, displayName: titleOf(imageName), tag: { name, size } };
      await registerImageTag(requestAt(loading, by, at), push);
    }
    await loading.tx.$executeRaw`
      UPDATE "image" SET "last_deployed_at" = ${lastDeployedAt}::timestamptz
      WHERE "workspace_id" = ${idOf(workspace)}::uuid AND "resource_type" = ${resourceType}::image_resource_type
        AND "name" = ${imageName}`;
  }
}
