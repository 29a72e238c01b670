// Changes whose transaction PostgreSQL rolls back because of another one: they are made again, and the caller does not notice.
import { beforeAll, describe, expect, it } from 'vitest';
import { amendUsage } from '../../src/metering/usage-adjustments.js';
import { recordUsage } from '../../src/metering/usage.js';
import { createKey, createTenant, useApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import type { TestExecutor } from '../lifecycle/executor.js';
import { northwind, usageEvent } from '../metering/usage-samples.js';
import { addRegions, mutate } from '../resources/mutations.js';

const running = useApp({}, { ownDatabase: true });
let key: string;
let one: TestExecutor;

const db = () => running.app.services.db;
const inMain = { workspace: 'acme-main' };

beforeAll(async () => {
  const tenant = await createTenant(running.app, { account: 'acme', workspaces: ['acme-main'] });
  ({ key } = await createKey(running.app, tenant));
  await addRegions(running.app);
  // The next number of a sequence is not rolled back.
  await db().$executeRawUnsafe('CREATE SEQUENCE tries START 2');
  await db().$executeRawUnsafe(`
    CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('tries') = 1 THEN RAISE EXCEPTION 'as in a deadlock' USING ERRCODE = '40P01'; END IF;
      RETURN NEW;
    END $$`);
  await db().$executeRawUnsafe(
    'CREATE TRIGGER fails_once BEFORE INSERT ON change FOR EACH ROW EXECUTE FUNCTION fail_once()',
  );
  one = await anExecutor(running.app, 'one');
});

/** Has the next record of a change fail. */
const failOnce = () => db().$queryRaw`SELECT setval('tries', 1, false)`;
const triesOf = async () => Number((await db().$queryRaw<{ n: bigint }[]>`SELECT last_value AS n FROM tries`)[0]?.n);

describe('A change that meets a deadlock', () => {
  it('is made if it amends usage', async () => {
    const { ctx } = await northwind(running.app);
    await recordUsage(ctx, [usageEvent(1)]);
    await failOnce();
    const events = [usageEvent(1, { usage: '7' })];
    const { results } = await amendUsage(ctx, { account: 'northwind', events, reason: 'the meter was wrong' });
    expect(results).toEqual([{ outcome: 'amended' }]);
    expect(await triesOf()).toBe(2);
  });

  it('is made if an executor reports on a deployment, and what it observes later', async () => {
    await mutate(running.app, key, 'createAgent', '__typename', { ...inMain, metadata: { name: 'bot' } });
    const [claim] = (await one.claim()).assignments;
    await failOnce();
    expect(await one.report(claim, { state: 'DEPLOYED' })).toMatchObject({ state: 'DEPLOYED' });
    expect(await triesOf()).toBe(2);
    await failOnce();
    expect(await one.observe(claim.resourceId, claim.fence)).toMatchObject({ status: 'FAILED' });
    expect(await triesOf()).toBe(2);
  });

  it('is made if an executor claims a task and reports on it', async () => {
    await mutate(running.app, key, 'createJob', '__typename', { ...inMain, metadata: { name: 'import' } });
    await mutate(running.app, key, 'runJob', '__typename', { ...inMain, name: 'import' });
    await failOnce();
    const { assignments } = await one.claim();
    expect(await triesOf()).toBe(2);
    const task = assignments.find(({ action }: { action: string }) => action === 'RUN');
    await failOnce();
    expect(await one.report(task, { state: 'RUNNING' })).toMatchObject({ state: 'RUNNING' });
    expect(await triesOf()).toBe(2);
  });
});
