// Everything in a workspace of the demo beside its agents.
import type { Prisma } from '../database/client/client.js';
import { insertImages, insertImageShares } from '../resources/images/image-input.js';
import { insertExecutions, insertJobs } from '../resources/jobs/job-input.js';
import { insertEgressGateways, insertEgressIps, insertVpcs } from '../resources/networks/network-input.js';
import { insertPreviews, insertSandboxes } from '../resources/sandboxes/sandbox-input.js';
import { insertVolumes } from '../resources/volumes/volume-input.js';
import type { Seal } from '../seal.js';
import { demoExecutions } from './executions.js';
import { demoImages, demoImageShares } from './images.js';
import { demoJobs } from './jobs.js';
import { demoNetworks } from './networks.js';
import { idOf } from './random.js';
import { demoPreviews, demoSandboxes } from './sandboxes.js';
import { demoVolumes } from './volumes.js';

/** How many of each kind: those of the main workspace, and of each other one. */
const mainCounts = { sandboxes: 42, jobs: 15, volumes: 20, images: 28, shares: 6, vpcs: 3 };
const sideCounts = { sandboxes: 6, jobs: 3, volumes: 4, images: 6, shares: 3, vpcs: 1 };

/** @param end the demo's present: everything is older. */
export async function loadPlatform(
  tx: Prisma.TransactionClient,
  seal: Seal,
  workspace: string,
  isMain: boolean,
  end: Date,
): Promise<void> {
  const counts = isMain ? mainCounts : sideCounts;
  const id = idOf(workspace);
  const sandboxes = demoSandboxes(workspace, counts.sandboxes, end);
  const jobs = demoJobs(workspace, counts.jobs, end);
  const networks = demoNetworks(workspace, counts.vpcs, end);
  await insertSandboxes(tx, seal, id, sandboxes);
  await insertPreviews(tx, id, demoPreviews(workspace, sandboxes, end));
  await insertJobs(tx, seal, id, jobs);
  await insertExecutions(
    tx,
    seal,
    id,
    jobs.flatMap((job, order) => demoExecutions(job, order, end)),
  );
  await insertVolumes(tx, id, demoVolumes(workspace, counts.volumes, end));
  await insertImages(tx, id, demoImages(workspace, counts.images, end));
  await insertImageShares(tx, id, demoImageShares(workspace, counts.shares, end));
  await insertVpcs(tx, id, networks.vpcs);
  await insertEgressGateways(tx, id, networks.gateways);
  await insertEgressIps(tx, id, networks.ips);
}
