import { beforeAll, describe, expect, it } from 'vitest';
import { addAgents, anAgent, createKey, createTenant, rest, useApp } from '../../harness.js';

const paged = '2026-04-28';
const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  const agents = Array.from({ length: 30 }, (_, index) =>
    anAgent(`agent-${String(index).padStart(2, '0')}`, {
      // Three agents share each instant, so that pages have ties to break.
      metadata: { createdAt: new Date(Date.UTC(2026, 0, 1 + Math.floor(index / 3))).toISOString() },
    }),
  );
  await addAgents(app, tenant.workspaces['main'], agents);
});

describe('GET /agents', () => {
  it('answers {data, meta} from version 2026-04-28 on', async () => {
    const { status, body, headers } = await rest(running.app, '/agents', { key, version: paged });
    expect(status).toBe(200);
    expect(headers.get('service-version')).toBe(paged);
    expect(body.data).toHaveLength(30);
    expect(body.meta).toEqual({ hasMore: false, nextCursor: '', total: 30 });
  });

  it('answers a bare array of all agents before that version', async () => {
    const { body, headers } = await rest(running.app, '/agents?limit=2&sort=bad', { key, version: '2026-04-27' });
    expect(headers.get('service-version')).toBe('2026-04-27');
    expect(body).toHaveLength(30);
  });
});
