// One account waits for a lock, or for slow statements. Requests of another account continue, with the default settings.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { createKey, createTenant, freshDatabase, graphql, rest, startOn } from '../harness.js';
import type { RunningApp } from '../harness.js';
import { usageEvent } from '../metering/usage-samples.js';
import { addRegions } from '../resources/mutations.js';

const isServer = 'server' in inject('template');

const createVolume = `mutation ($workspace: String!, $name: String!) {
  createVolume(input: { workspace: $workspace, metadata: { name: $name }, spec: { sizeMb: 1024, region: "eu-open" } }) {
    __typename
  }
}`;

describe.skipIf(!isServer)('While one account waits for the database', () => {
  let running: RunningApp;
  let locker: pg.Client;
  let remove: () => Promise<void>;
  let quiet: string;
  let stuck: string;
  let stuckId: string;
  let serial = 0;
  const timers: NodeJS.Timeout[] = [];

  beforeEach(async () => {
    const { settings, ...fresh } = await freshDatabase();
    ({ remove } = fresh);
    running = await startOn(settings);
    const { app } = running;
    const tenants = await Promise.all(
      ['stuck', 'quiet'].map((account) => createTenant(app, { account, workspaces: [`${account}-main`] })),
    );
    const keys = await Promise.all(tenants.map((tenant) => createKey(app, tenant)));
    await addRegions(app);
    stuckId = tenants[0]?.accountId ?? '';
    [stuck = '', quiet = ''] = keys.map(({ key }) => key);
    locker = new pg.Client({ connectionString: settings['DATABASE_URL'] });
    await locker.connect();
  });

  afterEach(async () => {
    for (const timer of timers.splice(0)) clearInterval(timer);
    await locker.end();
    await running.stop();
    await remove();
  });

  async function create(key: string, workspace: string): Promise<boolean> {
    const answer = await graphql(running.app, key, createVolume, { workspace, name: `volume-${++serial}` });
    return JSON.stringify(answer).includes('CreateVolumePayload');
  }

  const list = async (key: string) => (await rest(running.app, '/agents', { key })).status;
  const readCosts = async (key: string) => {
    const window = 'startTime=2026-11-01T00:00:00Z&endTime=2026-11-19T00:00:00Z';
    return (await rest(running.app, `/accounts/${stuckId}/metrics?${window}`, { key })).status;
  };

  /** Starts requests at a rate, and does not wait for their responses. */
  function flood<Result>(perSecond: number, act: () => Promise<Result>): { stop: () => Promise<Result[]> } {
    const started: Promise<Result>[] = [];
    const timer = setInterval(() => void started.push(act()), 1_000 / perSecond);
    timers.push(timer);
    return {
      stop: () => {
        clearInterval(timer);
        return Promise.all(started);
      },
    };
  }

  /** Lists and creates for the quiet account, one request after the other, and fails if one is refused. @returns how often. */
  async function askQuietly(seconds: number): Promise<number> {
    const endMs = performance.now() + seconds * 1_000;
    let rounds = 0;
    for (; performance.now() < endMs; rounds++) {
      expect(await list(quiet)).toBe(200);
      expect(await create(quiet, 'quiet-main')).toBe(true);
      await sleep(20);
    }
    return rounds;
  }

  const lockWorkspace = () => locker.query(`BEGIN; SELECT FROM "workspace" WHERE "name" = 'stuck-main' FOR UPDATE`);

  it('for the row of its workspace, another account lists and creates', async () => {
    await lockWorkspace();
    const waiting = flood(10, () => create(stuck, 'stuck-main'));
    expect(await askQuietly(10)).toBeGreaterThan(10);
    await locker.query('ROLLBACK');
    await waiting.stop();
    expect(await create(stuck, 'stuck-main')).toBe(true);
  });

  it('with many more requests than connections, its creations are refused, and its lists are not', async () => {
    await lockWorkspace();
    const waiting = flood(50, () => create(stuck, 'stuck-main'));
    const lists = flood(2, () => list(stuck));
    expect(await askQuietly(6)).toBeGreaterThan(6);
    expect(new Set(await lists.stop())).toEqual(new Set([200]));
    await locker.query('ROLLBACK');
    expect(await waiting.stop()).toContain(false);
    expect(await create(stuck, 'stuck-main')).toBe(true);
  });

  it('for slow statements, another account lists and creates', async () => {
    expect(await readCosts(stuck)).toBe(200);
    await locker.query('BEGIN; LOCK TABLE "usage_cell", "usage_point"');
    const waiting = flood(20, () => readCosts(stuck));
    expect(await askQuietly(8)).toBeGreaterThan(8);
    await locker.query('ROLLBACK');
    expect(await waiting.stop()).toContain(503);
    expect(await readCosts(stuck)).toBe(200);
  });

  it('for a rollup of its usage, it lists', async () => {
    const event = usageEvent(1, { account: 'stuck', workspace: 'stuck-main' });
    const record = 'mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { __typename } }';
    expect((await graphql(running.app, stuck, record, { input: { events: [event] } })).status).toBe(200);
    await locker.query(`BEGIN; SELECT FROM "usage_account" WHERE "account_id" = '${stuckId}' FOR UPDATE`);
    const waiting = flood(20, () => readCosts(stuck));
    await sleep(1_000);
    for (let round = 0; round < 10; round++) expect(await list(stuck)).toBe(200);
    await locker.query('ROLLBACK');
    expect(new Set(await waiting.stop())).toEqual(new Set([200]));
  });

  it('for its turn because it floods the service, another account lists and creates', async () => {
    const flooding = flood(400, () => list(stuck));
    expect(await askQuietly(5)).toBeGreaterThan(5);
    await flooding.stop();
  });
});
