import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runBackgroundTasks, startBackgroundTasks } from '../../src/server/run-background-tasks.js';
import type { BackgroundTask } from '../../src/server/background-tasks.js';
import { useApp } from '../harness.js';

const running = useApp();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A job that counts how often it began. */
function countedJob(name: string, everyMs: number, run: () => Promise<void>): BackgroundTask & { begun: () => number } {
  let begun = 0;
  return {
    name,
    everyMs,
    run: () => {
      begun++;
      return run();
    },
    begun: () => begun,
  };
}

/** Advances the clock, and lets the due tasks run. */
async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await setImmediate();
}

describe('Background tasks', () => {
  it('run at their own times, even if others fail or hang', async () => {
    const { services, config } = running.app;
    const failing = countedJob('failing', 10, () => Promise.reject(new Error('as it is meant to')));
    let release = () => {};
    const hanging = countedJob('hanging', 10, () => new Promise((resolve) => (release = resolve)));
    const working = countedJob('working', 10, async () => {});
    const background = startBackgroundTasks(services, config, [failing, hanging, working]);
    await setImmediate();
    for (let round = 0; round < 3; round++) await pass(10);
    expect([failing, hanging, working].map(({ begun }) => begun())).toEqual([4, 1, 4]);
    release();
    await setImmediate();
    await pass(10);
    expect(hanging.begun()).toBe(2);
    release();
    await background.stop();
    await pass(50);
    expect([failing, hanging, working].map(({ begun }) => begun())).toEqual([5, 2, 5]);
  });

  it('start late if they say so', async () => {
    const { services, config } = running.app;
    const late = { ...countedJob('late', 10, async () => {}), startsLate: true as const };
    const background = startBackgroundTasks(services, config, [late]);
    await setImmediate();
    expect(late.begun()).toBe(0);
    await pass(10);
    expect(late.begun()).toBe(1);
    await background.stop();
  });

  it('send all their statements as background statements, which are not logged as slow requests', async () => {
    const { services, config, database } = running.app;
    const origins: string[] = [];
    database.watch((_, of) => origins.push(of));
    await runBackgroundTasks({ ...services, db: database.backgroundDb }, config);
    expect(origins.length).toBeGreaterThan(10);
    expect(new Set(origins)).toEqual(new Set(['background']));
  });

  it('finish running tasks at shutdown', async () => {
    const { services, config } = running.app;
    let isDone = false;
    let release = () => {};
    const job = countedJob('slow', 10, async () => {
      await new Promise<void>((resolve) => (release = resolve));
      isDone = true;
    });
    const background = startBackgroundTasks(services, config, [job]);
    const stopped = background.stop();
    release();
    await stopped;
    expect(isDone).toBe(true);
  });

  it('log the name of a failed task', async () => {
    const { services, config } = running.app;
    const lines: unknown[] = [];
    const log = Object.assign(Object.create(services.log), { error: (line: unknown) => lines.push(line) });
    const failing = countedJob('failing', 10, () => Promise.reject(new Error('as it is meant to')));
    await runBackgroundTasks({ ...services, log }, config, [failing]);
    expect(lines).toMatchObject([{ task: 'failing', err: { message: 'as it is meant to' } }]);
  });
});
