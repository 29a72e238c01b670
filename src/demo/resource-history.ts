// The resources of a demo workspace with their past. The inserted rows and the change log come from the same resources.
import type { AccessibleWorkspace } from '../auth/caller.js';
import type { ChangeRow } from '../changes/change-rows.js';
import { agentInput } from './rows/agent-input.js';
import type { AgentInput } from './rows/agent-input.js';
import { agentKind, maskedAgent } from '../resources/agents/agent-row.js';
import { jobInput } from './rows/job-input.js';
import { jobKind } from '../resources/jobs/job.js';
import { egressGatewayFromRow } from '../resources/networks/egress-gateway.js';
import { egressIpFromRow } from '../resources/networks/egress-ip.js';
import { vpcInput } from './rows/network-input.js';
import { vpcKind } from '../resources/networks/vpc.js';
import { previewFromRow } from '../resources/sandboxes/preview.js';
import { sandboxInput } from './rows/sandbox-input.js';
import type { SandboxInput } from './rows/sandbox-input.js';
import { sandboxKind } from '../resources/sandboxes/sandbox.js';
import { volumeInput } from './rows/volume-input.js';
import type { VolumeInput } from './rows/volume-input.js';
import { volumeKind } from '../resources/volumes/volume.js';
import { maskedSpec } from '../schema/runtime.js';
import { resourceFromRow, rowTimestamp } from '../store/read/resource-row.js';
import type { SpecifiedRow } from '../store/read/resource-row.js';
import { principalNamed } from './actors.js';
import { mainWorkspace, pipeline } from './company.js';
import { deletedResources } from './deleted.js';
import type { Deleted } from './deleted.js';
import { deployment, rollback, scaling } from './edits.js';
import type { Shown } from './edits.js';
import { pastOf } from './history.js';
import type { DemoResource, WorkspaceHistory } from './history.js';
import type { DemoPlatform } from './platform.js';
import { incidentOf, scaledAgent, scaledAt } from './story.js';

interface HistoryPlace {
  workspace: AccessibleWorkspace;
  /** The prefix of the addresses of endpoints. */
  inferenceUrl: string;
  end: Date;
}

/** The history of the resources of a workspace, in no particular order. */
export function workspaceHistory(
  place: HistoryPlace,
  agents: readonly AgentInput[],
  platform: DemoPlatform,
): WorkspaceHistory {
  const { end } = place;
  const versions = new Map<string, number>();
  const changes: ChangeRow[] = [];
  for (const resource of [...resourcesOf(place, agents, platform), ...deletedOf(place)]) {
    const past = pastOf(resource, end);
    versions.set(resource.id, past.version);
    changes.push(...past.changes);
  }
  return { versions, changes };
}

type Told = Pick<DemoResource, 'kind' | 'message' | 'filledIn' | 'told' | 'deleted'>;

function resourcesOf(place: HistoryPlace, agents: readonly AgentInput[], platform: DemoPlatform): DemoResource[] {
  const { workspace } = place;
  const resourceOf = (id: string, name: string, shown: { metadata: object; events?: unknown }, told: Told) => ({
    ...told,
    id,
    name,
    workspace: workspace.name,
    workspaceId: workspace.id,
    shown: shownOf(shown),
  });
  const sandboxNames = new Map(platform.sandboxes.map(({ id = '', metadata }) => [id, metadata.name]));
  const vpcNames = new Map(platform.vpcs.map(({ id = '', metadata }) => [id, metadata.name]));
  const gateways = new Map(platform.gateways.map(({ id = '', metadata, vpcId }) => [id, { metadata, vpcId }]));
  return [
    ...agents.map((agent) => agentOf(place, agent, {})),
    ...platform.sandboxes.map((input) => sandboxOf(place, input)),
    ...platform.jobs.map((input) => {
      const job = jobInput.parse(input);
      return specified(place, jobKind, 'JOB', job, maskedSpec(job.spec));
    }),
    ...platform.volumes.map((input) => volumeOf(place, input)),
    ...platform.vpcs.map((input) => {
      const vpc = vpcInput.parse(input);
      return specified(place, vpcKind, 'VPC', vpc, vpc.spec);
    }),
    ...platform.previews.map(({ id = '', sandboxId, metadata, spec }) => {
      const row = { ...namedRow(metadata), spec, resourceName: sandboxNames.get(sandboxId) ?? '', sandboxId };
      const told = { kind: 'SANDBOX_PREVIEW', message: 'Its route is there', filledIn: 'spec.url' } as const;
      return resourceOf(id, metadata.name, previewFromRow({ workspace, row: { ...row, id, key: '' } }), told);
    }),
    ...platform.gateways.map(({ id = '', vpcId, metadata, spec, status, events }) => {
      const row = { ...namedRow(metadata), spec, status: status ?? null, vpcName: vpcNames.get(vpcId) ?? '', vpcId };
      const told = { kind: 'EGRESS_GATEWAY', message: events?.at(-1)?.message } as const;
      return resourceOf(id, metadata.name, egressGatewayFromRow({ workspace, row: { ...row, id, key: '' } }), told);
    }),
    ...platform.ips.map(({ id = '', gatewayId, metadata, spec }) => {
      const gateway = gateways.get(gatewayId);
      const row = {
        ...namedRow(metadata),
        spec,
        gatewayName: gateway?.metadata.name ?? '',
        gatewayId,
        vpcName: vpcNames.get(gateway?.vpcId ?? '') ?? '',
      };
      const told = { kind: 'EGRESS_IP', message: `Allocated ${spec.publicIp}`, filledIn: 'spec.publicIp' } as const;
      return resourceOf(id, metadata.name, egressIpFromRow({ workspace, row: { ...row, id, key: '' } }), told);
    }),
  ];
}

function deletedOf(place: HistoryPlace): DemoResource[] {
  if (place.workspace.name !== mainWorkspace) return [];
  return deletedResources(place.end).map(({ at, by, ...resource }: Deleted) => {
    const deleted = { at, by };
    if (resource.kind === 'AGENT') return agentOf(place, resource.input, { deleted });
    if (resource.kind === 'SANDBOX') return { ...sandboxOf(place, resource.input), deleted };
    return { ...volumeOf(place, resource.input), deleted };
  });
}

function sandboxOf(place: HistoryPlace, input: SandboxInput): DemoResource {
  const sandbox = sandboxInput.parse(input);
  return specified(place, sandboxKind, 'SANDBOX', sandbox, maskedSpec(sandbox.spec));
}

function volumeOf(place: HistoryPlace, input: VolumeInput): DemoResource {
  const volume = volumeInput.parse(input);
  return specified(place, volumeKind, 'VOLUME', volume, volume.spec);
}

function agentOf({ workspace, inferenceUrl, end }: HistoryPlace, input: AgentInput, more: Partial<Told>): DemoResource {
  const agent = agentInput.parse(input);
  const row = specifiedRow(agent);
  const { name } = agent.metadata;
  const isInvoice = workspace.name === mainWorkspace && name.startsWith('invoice-');
  const { deployedAt, rolledBackAt } = incidentOf(end);
  const told = [
    ...(isInvoice
      ? [
          { at: deployedAt, by: pipeline, edit: deployment },
          { at: rolledBackAt, by: scaledAgent.by, edit: rollback },
        ]
      : []),
    ...(name === scaledAgent.name && workspace.name === mainWorkspace
      ? [{ at: scaledAt(end), by: scaledAgent.by, edit: scaling(scaledAgent.from) }]
      : []),
  ];
  return {
    kind: 'AGENT',
    id: agent.id,
    name,
    workspace: workspace.name,
    workspaceId: workspace.id,
    shown: shownOf(maskedAgent({ ctx: { inferenceUrl }, kind: agentKind, workspace, row })),
    message: agent.events.at(-1)?.message,
    told,
    ...more,
  };
}

interface SpecifiedInput {
  id: string;
  version: number;
  metadata: { name: string; createdAt: string; updatedAt: string } & Partial<
    Record<'displayName' | 'externalId' | 'createdBy' | 'updatedBy', string | undefined>
  > & { labels?: Record<string, string> | undefined };
  status?: SpecifiedRow<unknown>['status'] | undefined;
  events: { message?: string | undefined }[];
}

/** @param spec with its secrets masked */
function specified<Spec>(
  { workspace, inferenceUrl }: HistoryPlace,
  kind: { endpointPath?: 'agents' | 'sandboxes' },
  name: 'SANDBOX' | 'JOB' | 'VOLUME' | 'VPC',
  input: SpecifiedInput,
  spec: Spec,
): DemoResource {
  const found = { ctx: { inferenceUrl }, kind, workspace, row: specifiedRow({ ...input, spec }) };
  return {
    kind: name,
    id: input.id,
    name: input.metadata.name,
    workspace: workspace.name,
    workspaceId: workspace.id,
    shown: shownOf(resourceFromRow(found, spec)),
    message: input.events.at(-1)?.message,
  };
}

function specifiedRow<Spec>({ version, metadata, status, spec }: SpecifiedInput & { spec: Spec }): SpecifiedRow<Spec> {
  const { externalId = null, labels = null } = metadata;
  return { ...namedRow(metadata), version, externalId, labels, status: status ?? null, spec };
}

function namedRow(metadata: SpecifiedInput['metadata']) {
  const { name, displayName = null, createdAt, updatedAt, createdBy = null, updatedBy = null } = metadata;
  // No one of another account may appear in the history.
  for (const actor of [createdBy, updatedBy]) if (actor !== null) principalNamed(actor);
  return {
    version: 1,
    name,
    displayName,
    createdAt: rowTimestamp(new Date(createdAt)),
    updatedAt: rowTimestamp(new Date(updatedAt)),
    createdBy,
    updatedBy,
    protected: false,
    events: null,
  };
}

/** The JSON form of a resource without its events, as change records have it. */
function shownOf(resource: { metadata: object; events?: unknown }): Shown {
  const record: Shown = JSON.parse(JSON.stringify({ ...resource, events: undefined }));
  return record;
}
