// Whether the service is reached. Every request tells; nothing is asked for that alone while it is.
import { requestRefresh } from './refresh.js';

const listeners = new Set<() => void>();
let isReached = true;

export function isOnline(): boolean {
  return isReached;
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function noteConnection(reached: boolean): void {
  if (reached === isReached) return;
  isReached = reached;
  for (const listener of listeners) listener();
  // Much may have happened meanwhile.
  if (reached) requestRefresh();
}
