import { describe, expect, it } from 'vitest';
import { demoAgents } from '../../src/demo/agents.js';
import { demoWorkspaces, mainWorkspace } from '../../src/demo/company.js';
import { demoPlatform } from '../../src/demo/platform.js';

const end = new Date('2026-11-20T12:00:00.000Z');
const now = end.toISOString();
const demos = demoWorkspaces.map((workspace) => {
  const agents = [...demoAgents(workspace, workspace === mainWorkspace ? 64 : 8, end)];
  return { agents, ...demoPlatform(workspace, agents, end) };
});
const previews = demos.flatMap((demo) => demo.previews);

describe('Sandboxes of the demo', () => {
  it('attach volumes of their own region only', () => {
    for (const { sandboxes, volumes } of demos) {
      const regions = new Map(volumes.map(({ metadata, spec }) => [metadata.name, spec.region]));
      const attached = sandboxes.flatMap(({ spec }) =>
        (spec.volumes ?? [])
          .filter(({ type }) => type === 'persistent')
          .map(({ name = '' }) => ({ at: spec.region, volume: regions.get(name) })),
      );
      expect(attached.filter(({ at, volume }) => at !== volume)).toEqual([]);
      expect(attached.length).toBeGreaterThan(0);
    }
  });
});

/** The expiry of a preview with a lifetime in hours, because no file contains its creation time. */
function endOf({ metadata, spec }: (typeof previews)[number]): string | undefined {
  if (spec.ttl === undefined) return undefined;
  return new Date(Date.parse(metadata.createdAt) + Number.parseInt(spec.ttl, 10) * 3_600_000).toISOString();
}

describe('Previews of the demo', () => {
  it('belong to an older sandbox of their workspace', () => {
    for (const demo of demos) {
      const made = new Map(demo.sandboxes.map(({ id, metadata }) => [id, metadata.createdAt]));
      for (const { sandboxId, metadata } of demo.previews) {
        expect(made.get(sandboxId)?.localeCompare(metadata.createdAt)).toBeLessThanOrEqual(0);
      }
    }
  });

  it('are public and private, permanent, expiring and expired', () => {
    expect(new Set(previews.map(({ spec }) => spec.public))).toEqual(new Set([true, false]));
    expect(previews.some(({ spec }) => spec.expires === undefined && spec.ttl === undefined)).toBe(true);
    expect(previews.some((preview) => (endOf(preview) ?? now) < now)).toBe(true);
    expect(previews.some((preview) => (endOf(preview) ?? now) > now)).toBe(true);
    expect(previews.some(({ spec }) => spec.expires !== undefined && spec.expires > now)).toBe(true);
    expect(previews.some(({ spec }) => spec.requestHeaders !== undefined)).toBe(true);
    expect(previews.some(({ spec }) => spec.responseHeaders !== undefined)).toBe(true);
  });

  it('have unique addresses and domains, over all workspaces', () => {
    const urls = previews.map(({ spec }) => spec.url);
    const domains = previews.flatMap(({ spec }) => spec.customDomain ?? []);
    expect(new Set(urls).size).toBe(previews.length);
    expect(domains.length).toBeGreaterThan(0);
    expect(new Set(domains).size).toBe(domains.length);
    for (const { spec } of previews) expect(spec.url).toContain(`//${spec.prefixUrl}.`);
  });
});
