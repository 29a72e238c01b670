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
    expect(textOf(html)).toContain('Failed resources, latest 5 of 5,972');
    expect(textOf(html)).toContain('5,965 agents 7 jobs');
    expect(html).toContain('href="/w/production/agents?state=failed"');
    expect(textOf(html)).not.toContain('more');
  });

  it('shows all of them with a button if all are loaded', async () => {
    const html = await shown(7, 7, 0);
    expect(textOf(html)).toContain('Failed resources, latest 5 of 7 Show 2 more');
    expect(html).not.toContain('state=failed');
  });

  it('shows the number of loaded ones until the total is known', async () => {
    expect(textOf(await shown(3, 0, 0))).not.toContain('latest');
    expect(textOf(await shown(7, 0, 0))).toContain('Show 2 more');
  });
});
