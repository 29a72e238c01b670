import { AsyncLocalStorage } from 'node:async_hooks';

/** Name of the background task that runs now; undefined in requests. */
export const currentTask = new AsyncLocalStorage<string>();
