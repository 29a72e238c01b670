// The resources of the main workspace that were deleted. Only the change log and the costs contain them.
import type { AgentInput } from './rows/agent-input.js';
import { sandboxInput } from './rows/sandbox-input.js';
import type { SandboxInput } from './rows/sandbox-input.js';
import { volumeInput } from './rows/volume-input.js';
import type { VolumeInput } from './rows/volume-input.js';
import { demoOperator, demoOwner, mainWorkspace, pipeline, regionsOf } from './company.js';
import { fleetAgent } from './fleet.js';
import { createRandom, idOf } from './random.js';
import { dayMs, hourMs, updatedBetween } from './times.js';

/** Agents that were replaced. Their costs end with them. */
const deletedAgents = [
  { name: 'quote-desk', gigabytes: 8, minScale: 5, untilDaysAgo: 131, livedDays: 259, by: demoOwner },
  { name: 'edi-gateway', gigabytes: 4, minScale: 8, untilDaysAgo: 68, livedDays: 322, by: demoOperator },
  { name: 'manifest-checker', gigabytes: 4, minScale: 7, untilDaysAgo: 164, livedDays: 226, by: demoOperator },
  { name: 'fleet-dispatcher', gigabytes: 8, minScale: 4, untilDaysAgo: 203, livedDays: 187, by: demoOwner },
  { name: 'tariff-lookup', gigabytes: 1, minScale: 0, untilDaysAgo: 9, livedDays: 75, by: demoOperator },
  { name: 'container-tracker', gigabytes: 2, minScale: 0, untilDaysAgo: 2, livedDays: 48, by: demoOperator },
] as const;

const deletedSandboxes = [
  { name: 'pr-9388-review', untilDaysAgo: 12, livedDays: 6 },
  { name: 'pr-9412-review', untilDaysAgo: 5, livedDays: 9 },
  { name: 'pr-9447-review', untilDaysAgo: 1, livedDays: 4 },
] as const;

const deletedVolume = { name: 'claims-imports', untilDaysAgo: 23, livedDays: 190, sizeMb: 20_480 };

export type Deleted = { at: Date; by: string } & (
  | { kind: 'AGENT'; input: AgentInput }
  | { kind: 'SANDBOX'; input: SandboxInput }
  | { kind: 'VOLUME'; input: VolumeInput }
);

/** When a resource was deleted. */
function deletedAt(end: Date, { name, untilDaysAgo }: { name: string; untilDaysAgo: number }): Date {
  const until = end.getTime() - untilDaysAgo * dayMs;
  return updatedBetween(createRandom(`deletion of ${name}`), new Date(until - 3 * hourMs), new Date(until));
}

/** The deleted resources with their last state. */
export function deletedResources(end: Date): Deleted[] {
  return [
    ...deletedAgents.map((agent, index): Deleted => {
      const { name, gigabytes, minScale, by } = agent;
      const at = deletedAt(end, agent);
      const place = { workspace: mainWorkspace, index: 5_000 + index * 7, count: 10_000, end };
      const made = fleetAgent(place, regionsOf(mainWorkspace));
      const { metadata, spec } = made;
      const { volumes: _, ...ownSpec } = spec;
      const times = timesOf(name, at, agent.livedDays);
      const labels = { ...metadata.labels };
      const revision = `r${9 + index * 4}`;
      return {
        kind: 'AGENT',
        at,
        by,
        input: {
          ...made,
          id: idOf(`${mainWorkspace}/agents/${name}`),
          metadata: { ...metadata, ...times, name, displayName: titleOf(name), labels },
          spec: {
            ...ownSpec,
            enabled: true,
            revision: { active: revision, stickySessionTtl: 0, traffic: 100 },
            runtime: {
              ...spec.runtime,
              image: `registry.meridian.example.com/agents/${name}:${revision}`,
              memory: gigabytes * 1_024,
              minScale,
              maxScale: 40,
            },
          },
          status: 'DEPLOYED',
          events: [],
        },
      };
    }),
    ...deletedSandboxes.map((sandbox): Deleted => {
      const at = deletedAt(end, sandbox);
      return {
        kind: 'SANDBOX',
        at,
        by: demoOperator,
        input: sandboxInput.parse({
          id: idOf(`${mainWorkspace}/sandboxes/${sandbox.name}`),
          metadata: {
            name: sandbox.name,
            labels: { team: 'documents', purpose: 'review' },
            ...timesOf(sandbox.name, at, sandbox.livedDays),
          },
          status: 'DEPLOYED',
          spec: {
            region: 'eu-frankfurt-1',
            runtime: {
              generation: 'mk3',
              memory: 4_096,
              image: 'registry.meridian.example.com/sandboxes/web-review:r3',
              envs: [{ name: 'WORKDIR', value: '/workspace' }],
            },
          },
        }),
      };
    }),
    {
      kind: 'VOLUME',
      at: deletedAt(end, deletedVolume),
      by: demoOwner,
      input: volumeInput.parse({
        id: idOf(`${mainWorkspace}/volumes/${deletedVolume.name}`),
        metadata: {
          name: deletedVolume.name,
          displayName: 'Claims imports',
          labels: { team: 'risk' },
          ...timesOf(deletedVolume.name, deletedAt(end, deletedVolume), deletedVolume.livedDays),
        },
        status: 'DEPLOYED',
        spec: { region: 'eu-frankfurt-1', sizeMb: deletedVolume.sizeMb },
      }),
    },
  ];
}

function timesOf(name: string, deleted: Date, livedDays: number) {
  const random = createRandom(`times of ${name}`);
  const createdAt = new Date(deleted.getTime() - livedDays * dayMs - random.below(300) * 60_000);
  const updatedAt = updatedBetween(random, createdAt, new Date(deleted.getTime() - hourMs));
  return {
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    createdBy: demoOperator,
    updatedBy: pipeline,
  };
}

/** The display name of something with a name such as `quote-desk`. */
export function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
