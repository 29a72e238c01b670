// Several processes run the same schedules and are killed: each time runs exactly once.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { cronTimes } from '../../../src/resources/schedules/cron-times.js';
import { runSchedules } from '../../../src/resources/schedules/run-schedules.js';
import { createKey, createTenant, freshDatabase, withDatabase } from '../../harness.js';
import type { TestApp } from '../../harness.js';
import { programWords } from '../../program-flags.js';
import { anExecutor } from '../../lifecycle/executor.js';
import { mutate } from '../mutations.js';
import { beginAt, countDue, makeClock, moveTo, simulatedClock } from './simulated-clock.js';

const isEmbedded = 'folder' in inject('template');
const begin = new Date('2026-10-24T00:00:00.000Z');
const inMain = { workspace: 'main' };

/** Over these days clocks are put back in Berlin. */
const end = new Date('2026-10-26T01:00:00.000Z');

const schedules: { name: string; cron: string; timeZone?: string; isOfAgent?: boolean }[] = [
  { name: 'office', cron: '0,30 8-17 * * *' },
  { name: 'hourly', cron: '0 * * * *' },
  { name: 'twice', cron: '*/30 */2 * * *' },
  { name: 'three-hourly', cron: '0 */3 * * *' },
  { name: 'night', cron: '30 2 * * *', timeZone: 'Europe/Berlin' },
  { name: 'workdays', cron: '0 9 * * mon-fri', timeZone: 'Asia/Tokyo' },
  { name: 'evening', cron: '59 23 * * *' },
  { name: 'sunday', cron: '5 4 1 * sun' },
  { name: 'agent-hourly', cron: '0 * * * *', isOfAgent: true },
  { name: 'agent-six-hourly', cron: '45 */6 * * *', isOfAgent: true },
];

/** The times of a schedule over those days. */
function timesOf({ cron, timeZone = 'UTC' }: { cron: string; timeZone?: string }): string[] {
  const times: string[] = [];
  for (let time = begin; ;) {
    const { next } = cronTimes(cron, timeZone, time, time);
    if (next === undefined || next > end) return times;
    times.push(next.toISOString());
    time = next;
  }
}

const expected = Object.fromEntries(schedules.map((schedule) => [schedule.name, timesOf(schedule)]));
const moments = [...new Set(Object.values(expected).flat())].toSorted().map((time) => new Date(time));

/** The created executions by schedule; the change log has each once. */
async function timesMade({ services: { db } }: TestApp): Promise<Record<string, string[]>> {
  const made: Record<string, string[]> = Object.fromEntries(schedules.map(({ name }) => [name, []]));
  const changes = await db.change.findMany({ where: { verb: 'created', actorKind: 'system' } });
  for (const { kind, name, message, after } of changes) {
    const text = JSON.stringify(after);
    const job = kind === 'JOB_EXECUTION' ? /"job":"([^"]+)"/.exec(text)?.[1] : name;
    made[job ?? '']?.push(message?.split(' ').at(-1) ?? '');
  }
  return Object.fromEntries(Object.entries(made).map(([name, times]) => [name, times.toSorted()]));
}

async function prepare(app: TestApp): Promise<string> {
  const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
  for (const { name, cron: schedule, timeZone, isOfAgent } of schedules) {
    const triggers = [{ type: 'CRON', configuration: { schedule } }];
    const [mutation, spec] = isOfAgent === true ? ['createAgent', { triggers }] : ['createJob', { schedule, timeZone }];
    await mutate(app, key, mutation, '__typename', { ...inMain, metadata: { name }, spec });
  }
  await anExecutor(app, 'one', { kinds: ['AGENT_INVOCATION'] });
  await makeClock(app.services.db);
  await beginAt(app.services.db, begin);
  return key;
}

function startProcess(settings: Record<string, string>, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [...programWords('resources/schedules/scheduler-process'), ...args], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

describe('Two processes', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;

  beforeAll(async () => {
    database = await freshDatabase();
  });

  afterAll(() => database.remove());

  it('run each time of ten schedules over days exactly once', { timeout: 300_000 }, async () => {
    expect(Object.values(expected).flat().length).toBeGreaterThan(200);
    await withDatabase(database.settings, async (app) => {
      const { db } = app.services;
      const key = await prepare(app);
      // An embedded database is open in only one process: there, two loops run concurrently in it.
      const children = isEmbedded ? [] : [1, 2].map(() => startProcess(database.settings, key));
      for (const { stdout } of children) if (stdout !== null) await once(stdout, 'data');
      const run = () => (isEmbedded ? runSchedules(app.services, simulatedClock) : Promise.resolve());
      for (const moment of moments) {
        await moveTo(db, moment);
        await Promise.all([run(), run()]);
        await vi.waitFor(async () => expect(await countDue(db)).toBe(0), { timeout: 60_000, interval: 5 });
      }
      for (const child of children) {
        child.kill('SIGTERM');
        await once(child, 'close');
      }
      expect(await timesMade(app)).toEqual(expected);
      expect(await db.jobExecution.count()).toBe(
        schedules.reduce((sum, { name, isOfAgent }) => sum + (isOfAgent ? 0 : (expected[name]?.length ?? 0)), 0),
      );
    });
  });
});

describe('A process that is killed', () => {
  it('leaves each run completed or not started, and the next one continues', { timeout: 240_000 }, async () => {
    const { settings, remove } = await freshDatabase();
    const key = await withDatabase(settings, prepare);
    const noon = moments.findIndex((moment) => moment.getTime() > begin.getTime() + 6 * 3_600_000);
    const deaths = isEmbedded ? [2, 5, 7] : [1, 2, 3, 4, 5, 6, 7, 9];
    for (const [index, statements] of deaths.entries()) {
      const moment = moments[noon + index] ?? end;
      await withDatabase(settings, ({ services: { db } }) => moveTo(db, moment));
      const child = startProcess(settings, key, String(statements));
      await once(child, 'close');
      await withDatabase(settings, async ({ services }) => {
        // Other processes skip the claims of a dead process for a while.
        await moveTo(services.db, new Date(moment.getTime() + 31_000));
        await runSchedules(services, simulatedClock);
        expect(await countDue(services.db)).toBe(0);
      });
    }
    await withDatabase(settings, async (app) => {
      const from = (moments[noon - 1] ?? begin).toISOString();
      const until = (moments[noon + deaths.length - 1] ?? end).toISOString();
      const made = await timesMade(app);
      for (const { name } of schedules) {
        const times = (made[name] ?? []).filter((time) => time > from);
        expect([name, times]).toEqual([name, expected[name]?.filter((time) => time > from && time <= until)]);
      }
    });
    await remove();
  });
});
