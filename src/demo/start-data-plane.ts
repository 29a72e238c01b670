import { fork } from 'node:child_process';
import type { Database } from '../database/open.js';
import { executorKinds } from '../lifecycle/work-kinds.js';
import { createExecutor, deleteExecutor, revokeExecutor } from '../operator/all-executors.js';

const name = 'demo-data-plane';

/** Registers the executor of the demo, anew each time: its key is kept nowhere. @returns the key. */
export async function demoExecutor(db: Database, now: Date): Promise<string> {
  if ((await db.executor.count({ where: { name } })) > 0) {
    await revokeExecutor(db, name, now);
    await deleteExecutor(db, name);
  }
  const { key } = await createExecutor(db, { name, regions: ['*'], kinds: [...executorKinds] }, now);
  return key;
}

/** Starts the simulated data plane, a process that ends with this one. */
export function startDataPlane(origin: string, key: string): void {
  const child = fork(new URL('data-plane.js', import.meta.url), {
    env: { GATEWAY: origin, EXECUTOR_KEY: key },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
}
