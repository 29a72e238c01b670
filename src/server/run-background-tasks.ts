// Runs the background tasks. Each has its own timer, so that one that fails or hangs does not delay the others.
import type { Config } from '../config.js';
import { backgroundTasks } from './background-tasks.js';
import type { BackgroundTask } from './background-tasks.js';
import type { Services } from './services.js';

export interface RunningTasks {
  /** Starts no further run, and waits for the current ones. */
  stop: () => Promise<void>;
}

const allTasks: readonly BackgroundTask[] = Object.values(backgroundTasks);

/** Starts the tasks, those that start late after their interval. A failure is logged, and the task runs again at its next time. */
export function startBackgroundTasks(services: Services, config: Config, tasks = allTasks): RunningTasks {
  const stopping = new AbortController();
  const running = tasks.map((task) => {
    services.taskRecord.expect(task.name, task.everyMs);
    return repeat(task, () => runTask(task, services, config, stopping.signal));
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running.map(({ stop }) => stop()));
    },
  };
}

/** Runs every task once. A failure is logged, and does not affect the other tasks. */
export async function runBackgroundTasks(services: Services, config: Config, tasks = allTasks): Promise<void> {
  const { signal } = new AbortController();
  await Promise.all(tasks.map((task) => runTask(task, services, config, signal)));
}

async function runTask(task: BackgroundTask, services: Services, config: Config, stopping: AbortSignal): Promise<void> {
  const startedMs = performance.now();
  try {
    await task.run(services, config, stopping);
    services.taskRecord.ran(task.name, secondsSince(startedMs), true);
  } catch (error) {
    services.taskRecord.ran(task.name, secondsSince(startedMs), false);
    services.log.error({ err: error, task: task.name }, 'background task failed');
  }
}

function secondsSince(startedMs: number): number {
  return (performance.now() - startedMs) / 1_000;
}

/** Runs a task at an interval, never twice at a time. */
function repeat({ everyMs, startsLate = false }: BackgroundTask, start: () => Promise<void>): RunningTasks {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= start().finally(() => {
      running = undefined;
    });
  };
  if (!startsLate) run();
  const timer = setInterval(run, everyMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
