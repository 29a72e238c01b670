// When a job or an agent comes round next, as callers are told.
import { beforeAll, describe, expect, it } from 'vitest';
import { createKey, createTenant, graphql, useApp } from '../../harness.js';
import { anExecutor } from '../../lifecycle/executor.js';
import { mutate } from '../mutations.js';

// It is 12:00 UTC on Friday, 20 November 2026.
const running = useApp();
let key: string;

beforeAll(async () => {
  ({ key } = await createKey(
    running.app,
    await createTenant(running.app, { account: 'northwind', workspaces: ['main'] }),
  ));
});

async function nextRunsOf(list: 'jobs' | 'agents'): Promise<Record<string, string | null>> {
  const query = `{ ${list}(workspace: "main", first: 50) { nodes { metadata { name } nextRunAt } } }`;
  const { body } = await graphql(running.app, key, query);
  expect(body.errors).toBeUndefined();
  const nodes: { metadata: { name: string }; nextRunAt: string | null }[] = body.data[list].nodes;
  return Object.fromEntries(nodes.map(({ metadata, nextRunAt }) => [metadata.name, nextRunAt]));
}

const make = async (kind: 'Job' | 'Agent', name: string, spec: object) => {
  const made = await mutate(running.app, key, `create${kind}`, '__typename', { metadata: { name }, spec });
  expect(made.__typename).toBe(`Create${kind}Payload`);
};

const cron = (schedule: string, more: object = {}) => ({ type: 'CRON', configuration: { schedule }, ...more });

describe('nextRunAt', () => {
  it('of a job is the next time of its schedule, by its clocks, after now', async () => {
    await make('Job', 'hourly', { schedule: '0 * * * *' });
    await make('Job', 'tokyo', { schedule: '30 4 * * *', timeZone: 'Asia/Tokyo' });
    await make('Job', 'off', { schedule: '0 * * * *', enabled: false });
    await make('Job', 'never', { schedule: '0 0 30 2 *' });
    await make('Job', 'by-hand', {});
    expect(await nextRunsOf('jobs')).toEqual({
      hourly: '2026-11-20T13:00:00.000Z',
      tokyo: '2026-11-20T19:30:00.000Z',
      off: null,
      never: null,
      'by-hand': null,
    });
  });

  it('of an agent is that of the first of its cron triggers that are on', async () => {
    await make('Agent', 'both', { triggers: [cron('0 7 * * 1'), cron('15 6 * * *'), { type: 'HTTP' }] });
    await make('Agent', 'one-off', { triggers: [cron('0 7 * * 1'), cron('15 6 * * *', { enabled: false })] });
    await make('Agent', 'off', { enabled: false, triggers: [cron('0 7 * * 1')] });
    await make('Agent', 'asked', { triggers: [{ type: 'HTTP' }] });
    expect(await nextRunsOf('agents')).toEqual({
      both: '2026-11-21T06:15:00.000Z',
      'one-off': '2026-11-23T07:00:00.000Z',
      off: null,
      asked: null,
    });
  });

  it('is none of what is being taken down', async () => {
    await anExecutor(running.app, 'one');
    await make('Job', 'going', { schedule: '0 * * * *' });
    expect(await nextRunsOf('jobs')).toMatchObject({ going: '2026-11-20T13:00:00.000Z' });
    await mutate(running.app, key, 'deleteJob', '__typename', { name: 'going' });
    expect(await nextRunsOf('jobs')).toMatchObject({ going: null });
  });
});
