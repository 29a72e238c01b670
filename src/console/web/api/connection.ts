// Whether the service is reachable. After a failed request, a health check is polled until it succeeds.
import { pathPrefix } from '../session/settings.js';
import { fetchInTime } from './fetch-in-time.js';
import { requestRefresh } from './refresh.js';

const askEveryMs = 2_000;
/** A check without a response is ended: browsers open only some connections, and its own may never come back. */
const askSecondsMax = 10;
const listeners = new Set<() => void>();
let isAccessible = true;
let check: Promise<boolean> | undefined;

export function isOnline(): boolean {
  return isAccessible;
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function noteConnection(reached: boolean): void {
  if (reached === isAccessible) return;
  isAccessible = reached;
  if (!reached) setTimeout(() => void ask(), askEveryMs);
  for (const listener of listeners) listener();
  // The data may have changed in the meantime.
  if (reached) requestRefresh();
}

/** Resolves once the service is reachable. */
export async function whenOnline(): Promise<void> {
  if (isAccessible) return;
  await new Promise<void>((resolve) => {
    const stop = onConnectionChange(() => {
      if (!isAccessible) return;
      stop();
      resolve();
    });
  });
}

/** Whether the service responds to a health check. Concurrent calls share one check. */
export async function isServiceHealthy(): Promise<boolean> {
  check ??= fetchInTime(`${pathPrefix}/readyz`, { cache: 'no-store' }, askSecondsMax)
    .then(
      ({ ok }) => ok,
      () => false,
    )
    .finally(() => {
      check = undefined;
    });
  return check;
}

async function ask(): Promise<void> {
  if (await isServiceHealthy()) noteConnection(true);
  else setTimeout(() => void ask(), askEveryMs);
}
