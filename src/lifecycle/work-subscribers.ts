// Executors of this process wait here until the database notifies of new work.
import type { RequestContext } from '../auth/context.js';
import type { Listen, Listening } from '../database/notifications.js';
import { workChannel } from './work-kinds.js';

/** The context of requests of executors. */
export interface WorkContext extends RequestContext {
  /** Notifies waiting executors of new work. */
  workSubscribers: WorkSubscribers;
}

/** Notification of new work. */
export interface WorkNotification {
  kind: string;
  /** Empty for resources without a region. */
  region: string;
}

/** A subscription to new work. No notification since its creation is missed. */
export interface WaitingExecutor {
  /** Waits until there may be work. The wait is short if a notification could have been lost. */
  wait: (msMax: number) => Promise<void>;
  leave: () => void;
}

export interface WorkSubscribers {
  /** @param isMeant whether a notification concerns the waiting executor. */
  take: (isMeant: (notification: WorkNotification) => boolean) => WaitingExecutor;
  /** Whether the time at which an executor was last seen should be written again. */
  isSeenAnew: (executorId: string) => boolean;
  /** The number of waiting executors. */
  waiting: () => number;
  isClosed: () => boolean;
  /** Ends all waits. */
  close: () => Promise<void>;
}

/** The polling interval: the expiry of a lease sends no notification. */
const lookAgainMs = 1_500;

/** How often the time at which an executor was last seen is written. */
const seenAgainMs = 10_000;

interface Waiter {
  isMeant: (notification: WorkNotification) => boolean;
  wake: () => void;
}

/** @param listen absent if the database cannot notify, such as behind a pooler. */
export function createWorkSubscribers(listen: Listen | undefined): WorkSubscribers {
  const waiters = new Set<Waiter>();
  const seenMs = new Map<string, number>();
  let listening: Listening | undefined;
  let isClosed = false;

  function tell(payload: string): void {
    const [kind = '', ...region] = payload.split(' ');
    const notification = { kind, region: region.join(' ') };
    for (const { isMeant, wake } of waiters) if (isMeant(notification)) wake();
  }

  function take(isMeant: Waiter['isMeant']): WaitingExecutor {
    let isTold = false;
    let resume = (): void => {};
    const waiter: Waiter = {
      isMeant,
      wake: () => {
        isTold = true;
        resume();
      },
    };
    waiters.add(waiter);
    if (!isClosed) listening ??= listen?.(workChannel, tell);
    return {
      wait: async (msMax) => {
        if (!isTold && !isClosed) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, Math.min(msMax, lookAgainMs));
            resume = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        }
        isTold = false;
      },
      leave: () => waiters.delete(waiter),
    };
  }

  return {
    take,
    isSeenAnew: (executorId) => {
      const nowMs = performance.now();
      const lastMs = seenMs.get(executorId);
      if (lastMs !== undefined && nowMs - lastMs < seenAgainMs) return false;
      seenMs.set(executorId, nowMs);
      return true;
    },
    waiting: () => waiters.size,
    isClosed: () => isClosed,
    close: async () => {
      isClosed = true;
      for (const { wake } of waiters) wake();
      await listening?.close();
    },
  };
}
