import { describe, expect, it } from 'vitest';
import { changeSummary } from '../../../src/console/web/activity/change-summary.js';

const change = (fields: string[], before: unknown, after: unknown) => changeSummary({ fields, before, after });
const runtime = (values: object) => ({ spec: { runtime: values } });

describe('The summary of a change', () => {
  it('names the tags if only the tag of an image changed, without the revision that follows from it', () => {
    const version = (tag: string) => ({
      spec: { revision: { active: tag }, runtime: { image: `registry.example.com:5000/agents/triage:${tag}` } },
    });
    expect(change(['spec.revision.active', 'spec.runtime.image'], version('r17'), version('r18'))).toBe(
      'Image r17 → r18',
    );
  });

  it('names the repositories if they differ', () => {
    expect(
      change(['spec.runtime.image'], runtime({ image: 'a.example.com/old:r1' }), runtime({ image: 'b/new:r2' })),
    ).toBe('Image old:r1 → new:r2');
    expect(change(['spec.runtime.image'], runtime({}), runtime({ image: 'b/new:r2' }))).toBe('Image new:r2');
  });

  it('shows values with their units, set and removed ones, and labels with dots', () => {
    expect(change(['spec.runtime.memory'], runtime({ memory: 2048 }), runtime({ memory: 6144 }))).toBe(
      'Memory 2 GB → 6 GB',
    );
    expect(change(['spec.runtime.maxScale'], runtime({}), runtime({ maxScale: 40 }))).toBe('Max scale 40');
    const labels = (values: object) => ({ metadata: { labels: values } });
    expect(change(['metadata.labels.team.of'], labels({ 'team.of': 'night' }), labels({}))).toBe(
      'Label team.of removed',
    );
    expect(change(['spec.enabled'], { spec: { enabled: true } }, { spec: { enabled: false } })).toBe('Disabled');
  });

  it('only names fields whose values are secret, long or not recorded', () => {
    const envs = (value: string) => runtime({ envs: [{ name: 'TOKEN', value }] });
    expect(change(['spec.runtime.envs'], envs('***'), envs('***'))).toBe('Environment');
    expect(change(['spec.schedule'], null, null)).toBe('Schedule');
    expect(change(['metadata.displayName'], { metadata: {} }, { metadata: { displayName: 'x'.repeat(60) } })).toBe(
      'Display name',
    );
  });

  it('shows the first two fields, and how many more there are', () => {
    const fields = ['spec.runtime.memory', 'spec.runtime.minScale', 'spec.runtime.maxScale', 'status'];
    const [before, after] = [
      { memory: 1024, minScale: 0, maxScale: 1 },
      { memory: 2048, minScale: 1, maxScale: 2 },
    ];
    expect(change(fields, runtime(before), runtime(after))).toBe('Memory 1 GB → 2 GB, Min scale 0 → 1, 1 more');
    expect(change([], null, null)).toBe('');
  });
});
