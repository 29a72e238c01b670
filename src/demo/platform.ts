// All resources of a demo workspace except its agents.
import type { Prisma } from '../database/client/client.js';
import type { AgentInput } from './rows/agent-input.js';
import { insertImages } from './rows/image-input.js';
import { insertExecutions, insertJobs } from './rows/job-input.js';
import { insertEgressGateways, insertEgressIps, insertVpcs } from './rows/network-input.js';
import { insertPreviews, insertSandboxes } from './rows/sandbox-input.js';
import { insertVolumes } from './rows/volume-input.js';
import type { Encryption } from '../encryption.js';
import { mainWorkspace } from './company.js';
import { demoExecutions } from './executions.js';
import { demoImages } from './images.js';
import { demoJobs } from './jobs.js';
import { demoNetworks } from './networks.js';
import { idOf } from './random.js';
import { demoPreviews, demoSandboxes } from './sandboxes.js';
import { demoVolumes } from './volumes.js';

/**
 * The resources of a workspace without its agents. The same arguments return the same resources, ids included.
 *
 * @param agents the agents whose images are created.
 * @param end the end of the demo data: everything is older.
 */
export function demoPlatform(workspace: string, agents: AgentInput[], end: Date) {
  const imagesMax = workspace === mainWorkspace ? 20 : 4;
  const sandboxes = demoSandboxes(workspace, end);
  const jobs = demoJobs(workspace, end);
  const workloads = { agents: agents.slice(0, imagesMax), sandboxes, jobs };
  return {
    sandboxes,
    previews: demoPreviews(workspace, end),
    jobs,
    executions: jobs.flatMap((job, order) => demoExecutions(job, order, end)),
    volumes: demoVolumes(workspace, end),
    images: demoImages(workspace, workloads, end),
    ...demoNetworks(workspace, end),
  };
}

export type DemoPlatform = ReturnType<typeof demoPlatform>;

/**
 * Inserts the resources of a workspace without their events, which the change log has.
 *
 * @param versions the version of each resource, by id; 1 if it is missing.
 */
export async function loadPlatform(
  tx: Prisma.TransactionClient,
  encryption: Encryption,
  workspace: string,
  demo: DemoPlatform,
  versions: ReadonlyMap<string, number>,
): Promise<void> {
  const id = idOf(workspace);
  await insertVolumes(tx, encryption, id, atVersions(demo.volumes, versions));
  await insertSandboxes(tx, encryption, id, atVersions(demo.sandboxes, versions));
  await insertPreviews(tx, encryption, id, atVersions(demo.previews, versions));
  await insertJobs(tx, encryption, id, atVersions(demo.jobs, versions));
  await insertExecutions(tx, encryption, id, demo.executions);
  await insertImages(tx, id, atVersions(demo.images, versions));
  await insertVpcs(tx, encryption, id, atVersions(demo.vpcs, versions));
  await insertEgressGateways(tx, encryption, id, atVersions(demo.gateways, versions));
  await insertEgressIps(tx, encryption, id, atVersions(demo.ips, versions));
}

/** The same resources at their version, without events. */
export function atVersions<Input extends { id?: string | undefined }>(
  inputs: readonly Input[],
  versions: ReadonlyMap<string, number>,
): (Input & { version: number; events: [] })[] {
  return inputs.map((input) => ({ ...input, version: versions.get(input.id ?? '') ?? 1, events: [] }));
}
