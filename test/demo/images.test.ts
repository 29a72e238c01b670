import { describe, expect, it } from 'vitest';
import { demoAgents } from '../../src/demo/agents.js';
import { demoWorkspaces, mainWorkspace, tidewaterWorkspace } from '../../src/demo/company.js';
import { demoPlatform } from '../../src/demo/platform.js';
import { imageResourceTypes } from '../../src/resources/images/image.js';
import { shareStatuses } from '../../src/resources/images/image-share.js';

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
    const own = images.filter(({ resourceType, sourceWorkspace }) => resourceType === 'agents' && !sourceWorkspace);
    expect(own).toHaveLength(20);
    expect(own.filter(({ name }) => !names.has(name))).toEqual([]);
  });

  it('come from another workspace only after an accepted share', () => {
    for (const { images: own, shares } of demos.values()) {
      const accepted = shares.filter(({ status }) => status === 'accepted');
      const shared = own.filter(({ sourceWorkspace }) => sourceWorkspace !== undefined);
      expect(shared.map(({ name, sourceWorkspace, createdAt }) => [name, sourceWorkspace, createdAt])).toEqual(
        accepted.map(({ imageName, sourceWorkspace, decidedAt }) => [imageName, sourceWorkspace, decidedAt]),
      );
      for (const { tags } of shared) expect(tags.length).toBeGreaterThan(0);
    }
  });
});

describe('Image shares of the demo', () => {
  it('cross the accounts in both directions, in every state', () => {
    const wanted = new Set(Object.keys(shareStatuses));
    for (const [target, source] of [
      [mainWorkspace, tidewaterWorkspace],
      [tidewaterWorkspace, mainWorkspace],
    ] as const) {
      const shares = demos.get(target)?.shares ?? [];
      expect(new Set(shares.map(({ status }) => status))).toEqual(wanted);
      expect(new Set(shares.map(({ sourceWorkspace }) => sourceWorkspace))).toEqual(new Set([source]));
    }
  });

  it('offer images that exist in the other workspace', () => {
    for (const { shares } of demos.values()) {
      for (const { sourceWorkspace, imageName, resourceType } of shares) {
        const theirs = demos.get(sourceWorkspace)?.images ?? [];
        expect(theirs.map((image) => `${image.resourceType}/${image.name}`)).toContain(`${resourceType}/${imageName}`);
      }
    }
  });

  it('have a decision time and user only if decided', () => {
    for (const { status, createdAt, decidedAt, decidedBy } of [...demos.values()].flatMap(({ shares }) => shares)) {
      const isDecided = status === 'accepted' || status === 'declined';
      expect([decidedAt, decidedBy].map((each) => each !== undefined)).toEqual([isDecided, isDecided]);
      expect((decidedAt ?? '~') > createdAt).toBe(true);
    }
  });
});
