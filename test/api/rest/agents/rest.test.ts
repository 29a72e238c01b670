import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, createToken, rest, useApp } from '../../../harness.js';
import type { Tenant } from '../../../harness.js';

const paged = '2026-04-28';
const barely = '2026-04-27';
const running = useApp();
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, { account: 'northwind', workspaces: ['main', 'empty', 'many', 'full'] });
  ({ key } = await createKey(app, { ...tenant, workspaceId: tenant.workspaces['main'] ?? '' }));
  const agents = Array.from({ length: 30 }, (_, index) =>
    anAgent(`agent-${String(index).padStart(2, '0')}`, {
      // Three agents share each instant, so that pages have ties to break.
      metadata: { createdAt: new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 3))).toISOString() },
    }),
  );
  await addAgents(app, tenant.workspaces['main'], agents);
});

/** A key that is confined to one workspace of the tenant. */
async function keyFor(workspace: string): Promise<string> {
  const created = await createKey(running.app, { ...tenant, workspaceId: tenant.workspaces[workspace] ?? '' });
  return created.key;
}

describe('GET /agents, version 2026-04-28 and later', () => {
  it('returns {data, meta}', async () => {
    const { status, body, headers } = await rest(running.app, '/agents', { key, version: paged });
    expect(status).toBe(200);
    expect(headers.get('service-version')).toBe(paged);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body.data).toHaveLength(30);
    expect(body.meta).toEqual({ hasMore: false, nextCursor: '', total: 30 });
  });

  it('applies to every later date', async () => {
    const { body } = await rest(running.app, '/agents', { key, version: '2031-01-01' });
    expect(body.meta.total).toBe(30);
  });

  it('returns no items, no cursor and a total of 0 for an empty workspace', async () => {
    const { body } = await rest(running.app, '/agents', { key: await keyFor('empty'), version: paged });
    expect(body).toEqual({ data: [], meta: { hasMore: false, nextCursor: '', total: 0 } });
  });

  it('ignores unknown query parameters', async () => {
    const { status, body } = await rest(running.app, '/agents?limit=1&colour=blue', { key, version: paged });
    expect(status).toBe(200);
    expect(body.data).toHaveLength(1);
  });
});

describe('GET /agents, before version 2026-04-28', () => {
  it('returns a bare array of all agents', async () => {
    const { status, body, headers } = await rest(running.app, '/agents', { key, version: barely });
    expect(status).toBe(200);
    expect(headers.get('service-version')).toBe(barely);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toHaveLength(30);
  });

  it('ignores sort, q, cursor, limit and anchor, whatever their values', async () => {
    const query = '?sort=bad&q=%00&cursor=bad&limit=0&anchor=bad';
    const { status, body } = await rest(running.app, `/agents${query}`, { key, version: barely });
    expect(status).toBe(200);
    expect(body).toHaveLength(30);
  });

  it('returns [] for an empty workspace', async () => {
    const { status, body } = await rest(running.app, '/agents', { key: await keyFor('empty') });
    expect(status).toBe(200);
    expect(body).toEqual([]);
  });

  it('returns every agent of a long list exactly once, newest first', async () => {
    const names = Array.from({ length: 1_203 }, (_, index) => `agent-${String(index).padStart(4, '0')}`);
    const agents = names.map((name, index) =>
      anAgent(name, { metadata: { createdAt: new Date(Date.UTC(2026, 0, 1 + (index % 7))).toISOString() } }),
    );
    await addAgents(running.app, tenant.workspaces['many'], agents);
    const { body } = await rest(running.app, '/agents', { key: await keyFor('many') });
    const listed: { metadata: { name: string; createdAt: string } }[] = body;
    expect(listed.map(({ metadata }) => metadata.name).toSorted()).toEqual(names);
    const times = listed.map(({ metadata }) => metadata.createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('returns 403 before it sends anything of the list', async () => {
    const { token } = await createToken(running.app, tenant, 'agents:get');
    const { status, body } = await rest(running.app, '/agents', { key: token });
    expect(status).toBe(403);
    expect(body.error).toBe('forbidden');
  });
});

describe('An agent in a response', () => {
  it('has the stored values, in the format of the specification', async () => {
    const spec = {
      enabled: false,
      public: true,
      policies: ['eu-only'],
      region: 'eu-west-1',
      repository: { type: 'git', url: 'https://git.example.com/a.git' },
      revision: { active: 'r1', canary: 'r2', canaryPercent: 10, stickySessionTtl: 0, traffic: 90 },
      runtime: { generation: 'mk3' as const, image: 'a:1', maxScale: 4, memory: 4096, minScale: 0 },
      triggers: [{ id: 'nightly', type: 'cron' as const, enabled: true, configuration: { schedule: '0 3 * * *' } }],
      volumes: [{ type: 'persistent' as const, name: 'data', mountPath: '/data', readOnly: true }],
    };
    const event = { time: '2026-03-01T10:00:00.000Z', type: 'deployment', status: 'DEPLOYED', message: 'Deployed.' };
    const metadata = {
      displayName: 'Fully described',
      externalId: 'crm-17',
      labels: { team: 'Search', tier: '1' },
      createdAt: '2026-02-03T04:05:06.070Z',
      updatedAt: '2026-02-03T04:05:06.789Z',
      createdBy: 'ada@example.com',
      updatedBy: 'deployer',
    };
    await addAgents(running.app, tenant.workspaces['full'], [
      anAgent('full', { metadata, spec, status: 'FAILED', events: [event] }),
    ]);
    const { body } = await rest(running.app, '/agents', { key: await keyFor('full'), version: paged });
    expect(body.data).toEqual([
      {
        metadata: {
          name: 'full',
          ...metadata,
          plan: 'enterprise',
          url: 'http://localhost:4000/inference/full/agents/full',
          workspace: 'full',
        },
        spec,
        status: 'FAILED',
        events: [event],
      },
    ]);
  });

  it('omits absent optional fields, and contains no null', async () => {
    for (const version of [paged, barely]) {
      const { body } = await rest(running.app, '/agents?limit=1', { key, version });
      const agents = version === paged ? body.data : body;
      expect(Object.keys(agents[0].metadata).toSorted()).toEqual(
        ['createdAt', 'name', 'plan', 'updatedAt', 'url', 'workspace'].toSorted(),
      );
      expect(agents[0].spec).toEqual({ enabled: true, public: false });
      expect(JSON.stringify(body)).not.toContain('null');
    }
  });
});
