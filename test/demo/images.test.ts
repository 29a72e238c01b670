import { describe, expect, it } from 'vitest';
import { demoAgents } from '../../src/demo/agents.js';
import { demoWorkspaces, mainWorkspace } from '../../src/demo/company.js';
import { demoPlatform } from '../../src/demo/platform.js';
import { imageResourceTypes } from '../../src/resources/images/image.js';

const end = new Date('2026-11-20T12:00:00.000Z');
const demos = new Map(
  demoWorkspaces.map((workspace) => {
    const agents = [...demoAgents(workspace, 64, end)];
    return [workspace, { agents, ...demoPlatform(workspace, agents, end) }];
  }),
);
const images = demos.get(mainWorkspace)?.images ?? [];

describe('Images of the demo', () => {
  it('include every resource type, some with more than 30 tags', () => {
    expect(new Set(images.map(({ resourceType }) => resourceType))).toEqual(new Set(Object.keys(imageResourceTypes)));
    expect(images.filter(({ tags }) => tags.length > 30).length).toBeGreaterThan(2);
  });

  it('include the tag of every sandbox and job, and of the newest agents', () => {
    for (const { images: own, agents, sandboxes, jobs } of demos.values()) {
      const found = new Set(
        own.flatMap((image) => image.tags.map((tag) => `${image.resourceType}/${image.name}:${tag.name}`)),
      );
      for (const { spec } of [...agents.slice(0, 4), ...sandboxes, ...jobs]) {
        expect(found).toContain(spec.runtime?.image?.replace(/^[^/]*\//, ''));
      }
    }
  });

  it('of agents have the names of agents', () => {
    const { agents = [] } = demos.get(mainWorkspace) ?? {};
    const names = new Set(agents.map(({ metadata }) => metadata.name));
    const own = images.filter(({ resourceType }) => resourceType === 'agents');
    expect(own).toHaveLength(20);
    expect(own.filter(({ name }) => !names.has(name))).toEqual([]);
  });
});
