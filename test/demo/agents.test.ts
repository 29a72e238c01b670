import { describe, expect, it } from 'vitest';
import { demoAgents } from '../../src/demo/agents.js';
import { demoAccounts, demoWorkspaces, mainWorkspace, regionsOf } from '../../src/demo/company.js';
import { demoVolumes } from '../../src/demo/volumes.js';
import { agentInput } from '../../src/demo/rows/agent-input.js';
import type { AgentInput } from '../../src/demo/rows/agent-input.js';
import { deploymentStates as statuses } from '../../src/lifecycle/deployment-states.js';

const end = new Date('2026-11-20T12:00:00.000Z');
const fleet = [...demoAgents(mainWorkspace, 64, end)];

/** Every so many-th agent, without the others in memory. */
function sampleOf(count: number, step: number): AgentInput[] {
  const sample: AgentInput[] = [];
  let index = 0;
  for (const agent of demoAgents(mainWorkspace, count, end)) if (index++ % step === 0) sample.push(agent);
  return sample;
}

/** The names of those that break a rule of the specification. */
function invalid(agents: Iterable<AgentInput>): string[] {
  return Array.from(agents)
    .filter((agent) => !agentInput.safeParse(agent).success)
    .map(({ metadata }) => metadata.name);
}

describe('The agents of the demo', () => {
  it('are identical for the same workspace, count and end', () => {
    expect(JSON.stringify([...demoAgents(mainWorkspace, 64, end)])).toBe(JSON.stringify(fleet));
  });

  it('move with their end only', () => {
    const later = [...demoAgents(mainWorkspace, 64, new Date(end.getTime() + 86_400_000))];
    const shifted = fleet.map(({ metadata }) => new Date(Date.parse(metadata.createdAt) + 86_400_000).toISOString());
    expect(later.map(({ metadata }) => metadata.createdAt)).toEqual(shifted);
    expect(later.map(({ id }) => id)).toEqual(fleet.map(({ id }) => id));
  });

  it.each(demoWorkspaces)('are all valid in %s', (workspace) => {
    expect(invalid(demoAgents(workspace, 300, end))).toEqual([]);
  });

  it('are valid in a large fleet too', () => {
    expect(invalid(sampleOf(20_000, 19))).toEqual([]);
  });

  it.each(demoWorkspaces)('attach volumes of %s that are in their region, also in a large fleet', (workspace) => {
    const regionOf = new Map(demoVolumes(workspace, end).map(({ metadata, spec }) => [metadata.name, spec.region]));
    const allowed: readonly string[] = regionsOf(workspace);
    const agents = [...demoAgents(workspace, 1_000, end)];
    const attached = agents.flatMap(({ spec }) =>
      (spec.volumes ?? []).filter(({ type }) => type === 'persistent').map(({ name }) => ({ name, at: spec.region })),
    );
    // Other workspaces have volumes for about half of the subjects of agents.
    expect(attached.length).toBeGreaterThan(workspace === mainWorkspace ? 200 : 100);
    expect(attached.filter(({ name, at }) => regionOf.get(name) !== at)).toEqual([]);
    expect(agents.filter(({ spec }) => !allowed.includes(spec.region ?? ''))).toEqual([]);
  });

  it('run in all regions that their account can use', () => {
    const used = new Set([...demoAgents(mainWorkspace, 300, end)].map(({ spec }) => spec.region));
    expect(used).toEqual(new Set(regionsOf(mainWorkspace)));
    expect(used).toContain('me-dubai-1');
    expect(used).not.toContain('af-capetown-1');
  });

  it('have unique names and ids in a large fleet', () => {
    const agents = sampleOf(20_000, 1);
    expect(new Set(agents.map(({ metadata }) => metadata.name)).size).toBe(20_000);
    expect(new Set(agents.map(({ id }) => id)).size).toBe(20_000);
  });

  it('have every status of a resource that exists', () => {
    const { TERMINATED: _, ...existing } = statuses;
    expect(new Set(fleet.map(({ status }) => status))).toEqual(new Set(Object.keys(existing)));
  });

  it('show every feature of an agent', () => {
    const triggers = fleet.flatMap(({ spec }) => spec.triggers ?? []);
    expect(new Set(triggers.map(({ type }) => type))).toEqual(new Set(['http', 'http-async', 'cron']));
    expect(triggers.some(({ configuration }) => configuration?.callbackSecret !== undefined)).toBe(true);
    expect(triggers.some(({ configuration }) => configuration?.timeout !== undefined)).toBe(true);
    const volumes = fleet.flatMap(({ spec }) => spec.volumes ?? []);
    expect(new Set(volumes.map(({ type }) => type))).toEqual(new Set(['persistent', 'ephemeral']));
    expect(new Set(fleet.map(({ spec }) => spec.runtime?.generation))).toEqual(new Set(['mk2', 'mk3']));
    expect(fleet.some(({ spec }) => spec.public)).toBe(true);
    expect(fleet.some(({ spec }) => spec.enabled === false)).toBe(true);
    expect(fleet.some(({ spec }) => spec.revision?.canary !== undefined)).toBe(true);
    expect(fleet.some(({ spec }) => spec.runtime?.envs?.some(({ secret }) => secret))).toBe(true);
    expect(fleet.some(({ metadata }) => /[^\x20-\x7e]/.test(metadata.displayName ?? ''))).toBe(true);
  });

  it('share some creation times, to test ties', () => {
    expect(new Set(fleet.map(({ metadata }) => metadata.createdAt)).size).toBeLessThan(fleet.length);
  });

  it('have events in the past and in order, which end in their status', () => {
    for (const { events = [], status, metadata } of fleet) {
      const times = events.map(({ time }) => time);
      expect(times).toEqual(times.toSorted());
      expect(times.every((time) => time >= metadata.createdAt && time <= end.toISOString())).toBe(true);
      expect(events.at(-1)?.status).toBe(status);
    }
  });

  it('were deployed by existing users', () => {
    const names = new Set(demoAccounts.flatMap(({ principals }) => principals.map(({ name }) => name)));
    const authors = fleet.flatMap(({ metadata }) => [metadata.createdBy ?? '', metadata.updatedBy ?? '']);
    expect(authors.filter((author) => !names.has(author))).toEqual([]);
  });
});
