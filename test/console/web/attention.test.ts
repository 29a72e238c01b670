import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { Attention } from '../../../src/console/web/overview/attention.js';
import { executionsQuery } from '../../../src/console/web/overview/overview-queries.js';
import type { FailedResource } from '../../../src/console/web/overview/overview-queries.js';
import { renderPart, textOf } from './render.js';

const workspace = 'production';
const none = { failed: 0, 'in-progress': 0, stopping: 0, healthy: 0, inactive: 0 };
const noRuns = {
  query: executionsQuery,
  variables: { workspace },
  data: { workspace: { id: 'w', jobs: { nodes: [] } } },
};

const failing = (count: number) =>
  Array.from({ length: count }, (_none, index): FailedResource => ({
    id: `${index}`,
    kind: index < 20 ? 'agents' : 'jobs',
    name: `resource-${index}`,
    status: 'FAILED',
    updatedAt: '2026-11-01T10:00:00Z',
    lastEvent: undefined,
  }));

async function shown(loaded: number, agents: number, jobs: number): Promise<string> {
  const counts = {
    agents: { ...none, failed: agents },
    sandboxes: none,
    jobs: { ...none, failed: jobs },
    volumes: none,
    networks: none,
  };
  return renderPart(createElement(Attention, { states: { failing: failing(loaded) }, counts, workspace }), [noRuns]);
}

describe('The attention list', () => {
  it('shows the number of failed resources, and links to all if only the latest are loaded', async () => {
    const html = await shown(27, 5_965, 7);
    expect(textOf(html)).toContain('Failed resources, latest 27 of 5,972 Show 22 more');
    expect(textOf(html)).toContain('5,965 agents 7 jobs');
    expect(html).toContain('href="/w/production/agents?state=failed"');
  });

  it('shows all of them with a button if all are loaded', async () => {
    const html = await shown(7, 7, 0);
    expect(textOf(html)).toContain('Failed resources Show 2 more');
    expect(html).not.toContain('state=failed');
  });

  it('shows failures of the same cause once, with their number and the latest of them', async () => {
    const probe = { time: '2026-11-01T10:00:00Z', message: 'Readiness probe failed' };
    const states = {
      failing: failing(7).map((each, index) => ({ ...each, lastEvent: index === 3 ? undefined : probe })),
    };
    const counts = { agents: none, sandboxes: none, jobs: none, volumes: none, networks: none };
    const text = textOf(await renderPart(createElement(Attention, { states, counts, workspace }), [noRuns]));
    expect(text).toContain('6 × Readiness probe failed');
    expect(text).toContain('resource-0 agent , resource-1 agent , resource-2 agent and 3 more');
    expect(text).toContain('resource-3 agent');
    expect(text).not.toContain('resource-4');
  });

  it('shows the number of loaded ones until the total is known', async () => {
    expect(textOf(await shown(3, 0, 0))).not.toContain('latest');
    expect(textOf(await shown(7, 0, 0))).toContain('Show 2 more');
  });
});
