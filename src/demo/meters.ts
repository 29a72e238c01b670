// The billed resources of the demo's companies in the last year, including deleted ones.
import type { BillingDimension } from '../metering/dimensions.js';
import type { AgentInput } from './rows/agent-input.js';
import type { JobInput } from './rows/job-input.js';
import type { SandboxInput } from './rows/sandbox-input.js';
import type { VolumeInput } from './rows/volume-input.js';
import { demoAgents } from './agents.js';
import { deletedResources } from './deleted.js';
import type { Deleted } from './deleted.js';
import { hostOf, mainWorkspace } from './company.js';
import { demoJobs } from './jobs.js';
import { createRandom, idOf } from './random.js';
import type { Random } from './random.js';
import { demoSandboxes } from './sandboxes.js';
import { scaledAgent, scaledAt } from './story.js';
import type { Rhythm } from './usage-shape.js';
import { demoVolumes } from './volumes.js';

/** One billing dimension of one resource, and the time of its usage. */
export interface Meter {
  workspace: string;
  resourceName: string;
  /** Empty for a custom domain. */
  resourceUuid: string;
  billingDimension: BillingDimension;
  rhythm: Rhythm;
  /** The usage of an ordinary day at the end, in the unit of the dimension. */
  perDay: number;
  /** The usage of such a day before the resource was scaled. */
  before?: { until: Date; perDay: number };
  from: Date;
  to: Date;
}

/** A forgotten sandbox without activity, whose storage is still billed. */
export const idleSandbox = 'claims-notebook';

const secondsPerDay = 86_400;

/** Later than any end of the demo. */
const lasting = new Date('2100-01-01T00:00:00Z');

/** The meters of one workspace. The same arguments return the same meters. @param end the end of the demo data */
export function demoMeters(workspace: string, agentCount: number, end: Date): Meter[] {
  const agents = [...demoAgents(workspace, agentCount, end)];
  const isMain = workspace === mainWorkspace;
  return [
    ...agents.flatMap((agent) => metersOfAgent(workspace, agent, end)),
    ...demoSandboxes(workspace, end).flatMap((sandbox) => metersOfSandbox(workspace, sandbox)),
    ...demoJobs(workspace, end).flatMap((job) => metersOfJob(workspace, job)),
    ...demoVolumes(workspace, end).flatMap((volume) => metersOfVolume(workspace, volume)),
    ...(isMain ? deletedResources(end).flatMap((deleted) => metersOfDeleted(workspace, deleted, end)) : []),
    ...(isMain ? mcpServers.flatMap((name) => metersOfMcpServer(workspace, name)) : []),
    ...(isMain ? domainWords : domainWords.slice(0, 1)).map((word) => meterOfDomain(workspace, word)),
  ];
}

type Used = Pick<Meter, 'workspace' | 'resourceName' | 'resourceUuid' | 'from' | 'to'>;

function used(workspace: string, { id = '', metadata }: Pick<AgentInput, 'id' | 'metadata'>): Used {
  const { name, createdAt = '' } = metadata;
  return { workspace, resourceName: name, resourceUuid: id, from: new Date(createdAt), to: lasting };
}

/** A disabled or failed resource ran until then; a resource in creation has not run yet. */
function ran(resource: Used, { status, metadata }: Pick<AgentInput, 'status' | 'metadata'>): Used {
  if (status === 'DEPLOYED' || status === 'DEPLOYING') return resource;
  const isMade = status !== 'UPLOADING' && status !== 'BUILDING' && status !== 'BUILT';
  return { ...resource, to: isMade ? new Date(metadata.updatedAt ?? resource.from) : resource.from };
}

function chanceOf({ workspace, resourceName }: Used): Random {
  return createRandom(`${workspace} usage of ${resourceName}`);
}

function metersOfAgent(workspace: string, agent: AgentInput, end: Date): Meter[] {
  const resource = used(workspace, agent);
  const { runtime, triggers = [] } = agent.spec;
  const size = { gigabytes: (runtime?.memory ?? 1024) / 1024, minScale: runtime?.minScale ?? 0 };
  const isAsync = triggers.some(({ type }) => type === 'http-async');
  const meters = agentMeters(resource, ran(resource, agent), { ...size, isAsync });
  if (workspace !== mainWorkspace || resource.resourceName !== scaledAgent.name) return meters;
  const former = agentMeters(resource, resource, { ...size, ...scaledAgent.from, isAsync });
  return meters.map((meter, index) => ({
    ...meter,
    before: { until: scaledAt(end), perDay: former[index]?.perDay ?? meter.perDay },
  }));
}

function agentMeters(
  resource: Used,
  running: Used,
  { gigabytes, minScale, isAsync }: { gigabytes: number; minScale: number; isAsync: boolean },
): Meter[] {
  const random = chanceOf(resource);
  const instances = random.pick([0.05, 0.1, 0.2, 0.45]) + minScale * 0.7;
  const requests = random.pick([400, 2_500, 12_000, 60_000]);
  const image = random.pick([0.6, 0.9, 1.4, 2.2]);
  return [
    {
      ...running,
      billingDimension: 'agent_compute_runtime_gbs',
      rhythm: 'office',
      perDay: gigabytes * instances * secondsPerDay,
    },
    stored(resource, 'agent_image_storage_gbs', image),
    ...(isAsync
      ? [{ ...running, billingDimension: 'agent_async_requests_count', rhythm: 'office', perDay: requests } as const]
      : []),
  ];
}

function stored(resource: Used, billingDimension: BillingDimension, gigabytes: number): Meter {
  return { ...resource, billingDimension, rhythm: 'steady', perDay: gigabytes * secondsPerDay };
}

function metersOfSandbox(workspace: string, sandbox: SandboxInput): Meter[] {
  const resource = used(workspace, sandbox);
  const random = chanceOf(resource);
  const gigabytes = (sandbox.spec.runtime?.memory ?? 2048) / 1024;
  const perDay = gigabytes * random.pick([0.02, 0.06, 0.15, 0.3]) * secondsPerDay;
  const isIdle = workspace === mainWorkspace && resource.resourceName === idleSandbox;
  const runtime: Meter = {
    ...ran(resource, sandbox),
    billingDimension: 'sandbox_compute_runtime_gbs',
    rhythm: 'office',
    perDay,
  };
  return [
    ...(isIdle ? [] : [runtime]),
    stored(resource, 'sandbox_image_storage_gbs', random.pick([0.8, 1.2, 2.5])),
    stored(resource, 'sandbox_snapshot_storage_gbs', isIdle ? 48 : random.pick([1, 3, 8])),
  ];
}

function metersOfJob(workspace: string, job: JobInput): Meter[] {
  const resource = used(workspace, job);
  const { runtime, parallelism = 1, timeout = 900 } = job.spec;
  const perDay = ((runtime?.memory ?? 1024) / 1024) * parallelism * timeout * 4;
  return [
    { ...ran(resource, job), billingDimension: 'job_compute_runtime_gbs', rhythm: 'night', perDay },
    stored(resource, 'job_image_storage_gbs', chanceOf(resource).pick([0.4, 0.7, 1.1])),
  ];
}

function metersOfVolume(workspace: string, volume: VolumeInput): Meter[] {
  if (volume.status === 'DEPLOYING' || volume.status === 'FAILED') return [];
  return [stored(used(workspace, volume), 'volume_storage_gbs', volume.spec.sizeMb / 1024)];
}

/** A deleted resource was billed until then. */
function metersOfDeleted(workspace: string, deleted: Deleted, end: Date): Meter[] {
  const meters =
    deleted.kind === 'AGENT'
      ? metersOfAgent(workspace, deleted.input, end)
      : deleted.kind === 'SANDBOX'
        ? metersOfSandbox(workspace, deleted.input)
        : metersOfVolume(workspace, deleted.input);
  return meters.map((meter) => ({ ...meter, to: deleted.at }));
}

const mcpServers = ['hs-code-lookup', 'carrier-rates', 'port-schedules', 'shipment-tracking'] as const;

function metersOfMcpServer(workspace: string, name: string): Meter[] {
  const resource = ownedAllYear(workspace, 'mcp_servers', name);
  const random = chanceOf(resource);
  const perDay = random.pick([0.5, 1, 2]) * random.pick([0.3, 0.8]) * secondsPerDay;
  return [
    { ...resource, billingDimension: 'mcp_server_compute_runtime_gbs', rhythm: 'office', perDay },
    stored(resource, 'mcp_server_image_storage_gbs', random.pick([0.3, 0.5])),
  ];
}

const domainWords = ['track', 'book', 'api', 'claims'] as const;

function meterOfDomain(workspace: string, word: string): Meter {
  const resource = ownedAllYear(workspace, 'custom_domains', `${word}.${hostOf(workspace)}`);
  return {
    ...resource,
    resourceUuid: '',
    billingDimension: 'custom_domain_active_time_hours',
    rhythm: 'steady',
    perDay: 24,
  };
}

function ownedAllYear(workspace: string, kind: string, name: string): Used {
  return {
    workspace,
    resourceName: name,
    resourceUuid: idOf(`${workspace}/${kind}/${name}`),
    from: new Date(0),
    to: lasting,
  };
}
