import { beforeAll, describe, expect, it } from 'vitest';
import { insertImages } from '../../../../src/demo/rows/image-input.js';
import { createKey, createTenant, frozenNow, graphql, rest, useApp } from '../../../harness.js';

const running = useApp();
let key: string;
const at = (minute: number) => new Date(frozenNow.getTime() - minute * 60_000).toISOString();
const tagCount = 250;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  ({ key } = await createKey(app, tenant));
  const times = { createdAt: at(0), updatedAt: at(0) };
  await insertImages(app.services.db, tenant.workspaces['main'] ?? '', [
    {
      resourceType: 'agents',
      name: 'classifier',
      displayName: 'Classifier',
      sourceWorkspace: 'tide-lab',
      ...times,
      lastDeployedAt: at(1),
      tags: Array.from({ length: tagCount }, (_, index) => ({
        name: `v1.${index}`,
        size: 3_000_000_000 + index,
        createdAt: at(index),
        updatedAt: at(index),
      })),
      events: [{ time: at(5), type: 'push', message: 'pushed' }],
    },
    { resourceType: 'jobs', name: 'classifier', ...times, tags: [] },
  ]);
});

describe('GET /v0/images/{resourceType}/{imageName}', () => {
  it('returns every field, with all tags, newest first, and sizes above 32 bits', async () => {
    const { status, body } = await rest(running.app, '/images/agents/classifier', { key });
    expect(status).toBe(200);
    expect(body.metadata).toEqual({
      name: 'classifier',
      displayName: 'Classifier',
      resourceType: 'agents',
      workspace: 'main',
      sourceWorkspace: 'tide-lab',
      createdAt: at(0),
      updatedAt: at(0),
      lastDeployedAt: at(1),
      events: [{ time: at(5), type: 'push', message: 'pushed' }],
    });
    expect(body.spec.tags).toHaveLength(tagCount);
    expect(body.spec.tags[1]).toEqual({ name: 'v1.1', size: 3_000_000_001, createdAt: at(1), updatedAt: at(1) });
    const sum = body.spec.tags.reduce((total: number, { size }: { size: number }) => total + size, 0);
    expect(body.spec.size).toBe(sum);
  });

  it('distinguishes images of the same name by their resource type', async () => {
    const { body } = await rest(running.app, '/images/jobs/classifier', { key });
    expect(body.spec).toEqual({ size: 0, tags: [] });
    expect((await rest(running.app, '/images/functions/classifier', { key })).status).toBe(404);
  });
});

describe('image', () => {
  it('paginates its tags, and reads only the requested ones', async () => {
    const query = `{ image(resourceType: AGENTS, name: "classifier") {
      spec { size tags(first: 2, orderBy: { field: NAME, direction: ASC }, search: "1.24") { totalCount nodes { name size } pageInfo { hasNextPage } } }
    } }`;
    const { body } = await graphql(running.app, key, query);
    expect(body.errors).toBeUndefined();
    expect(body.data.image.spec.tags).toEqual({
      totalCount: tagCount,
      nodes: [
        { name: 'v1.24', size: 3_000_000_024 },
        { name: 'v1.240', size: 3_000_000_240 },
      ],
      pageInfo: { hasNextPage: true },
    });
  });
});
