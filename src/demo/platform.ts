// All resources of a demo workspace except its agents.
import type { AgentInput } from './rows/agent-input.js';
import { insertExecutions, insertJobs } from './rows/job-input.js';
import { insertEgressGateways, insertEgressIps, insertVpcs } from './rows/network-input.js';
import { insertPreviews, insertSandboxes } from './rows/sandbox-input.js';
import { insertVolumes } from './rows/volume-input.js';
import type { Loading } from './calls.js';
import { mainWorkspace } from './company.js';
import { demoExecutions } from './executions.js';
import { datedImages, demoImages, loadImages } from './images.js';
import { demoJobs } from './jobs.js';
import { demoNetworks } from './networks.js';
import { idOf } from './random.js';
import { demoPreviews, demoSandboxes } from './sandboxes.js';
import type { WorkspaceHistory } from './history.js';
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
 * @param history of these resources.
 */
export async function loadPlatform(
  loading: Loading,
  workspace: string,
  demo: DemoPlatform,
  { versions, changes }: WorkspaceHistory,
): Promise<void> {
  const { tx, encryption } = loading;
  const id = idOf(workspace);
  await insertVolumes(tx, encryption, id, atVersions(demo.volumes, versions));
  await insertSandboxes(tx, encryption, id, atVersions(demo.sandboxes, versions));
  await insertPreviews(tx, encryption, id, atVersions(demo.previews, versions));
  await insertJobs(tx, encryption, id, atVersions(demo.jobs, versions));
  await insertExecutions(tx, encryption, id, demo.executions);
  await insertVpcs(tx, encryption, id, atVersions(demo.vpcs, versions));
  await insertEgressGateways(tx, encryption, id, atVersions(demo.gateways, versions));
  await insertEgressIps(tx, encryption, id, atVersions(demo.ips, versions));
  await loadImages(loading, workspace, datedImages(demo.images, changes));
}

/** The same resources at their version, without events. */
export function atVersions<Input extends { id?: string | undefined }>(
  inputs: readonly Input[],
  versions: ReadonlyMap<string, number>,
): (Input & { version: number; events: [] })[] {
  return inputs.map((input) => ({ ...input, version: versions.get(input.id ?? '') ?? 1, events: [] }));
}
