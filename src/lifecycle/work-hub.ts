// Where executors wait in this process, until the database tells that there is something to do.
import type { Listen, Listening } from '../database/notifications.js';
import type { ExecutionSeen } from './execution-steps.js';
import { workChannel } from './work-kinds.js';

declare module '../auth/context.js' {
  interface ProcessServices {
    /** Notifies waiting executors of new work. */
    workHub: WorkHub;
  }
}

/** What there is to do somewhere. */
export interface WorkNews {
  kind: string;
  /** Empty for what is in no region. */
  region: string;
}

/** A place to wait in. What is told from when it was taken on is not missed. */
export interface WaitingPlace {
  /** Waits until there may be something to do, and not for long where that could have been missed. */
  wait: (msMax: number) => Promise<void>;
  leave: () => void;
}

/** What somebody has left of an execution; undefined where they did not write it. */
interface Left {
  left: ExecutionSeen | undefined;
}

type Act<Result> = (before?: Left) => Promise<Left & { result: Result }>;

export interface WorkHub {
  /** @param isMeant whether some news are for who waits. */
  take: (isMeant: (news: WorkNews) => boolean) => WaitingPlace;
  /** Whether it is time to note again that an executor was seen. */
  isSeenAnew: (executorId: string) => boolean;
  /**
   * Does something about an execution when nobody else in this process does: they would only get in each other's way.
   *
   * @param act gets what the one before has left of it; undefined where there was none.
   */
  inTurn: <Result>(executionId: string, act: Act<Result>) => Promise<Result>;
  /** How many wait here. */
  waiting: () => number;
  isClosed: () => boolean;
  /** Has nobody wait any more. */
  close: () => Promise<void>;
}

/** How long nobody looks, in any case: a lease that runs out tells nobody. */
const lookAgainMs = 1_500;

/** How often it is noted that an executor was seen. */
const seenAgainMs = 10_000;

interface Waiter {
  isMeant: (news: WorkNews) => boolean;
  wake: () => void;
}

/** @param listen absent where the database tells nothing, such as behind a pooler. */
export function createWorkHub(listen: Listen | undefined): WorkHub {
  const waiters = new Set<Waiter>();
  const seenMs = new Map<string, number>();
  const turns = new Map<string, Promise<Left>>();
  let listening: Listening | undefined;
  let isClosed = false;

  function tell(payload: string): void {
    const [kind = '', ...region] = payload.split(' ');
    const news = { kind, region: region.join(' ') };
    for (const { isMeant, wake } of waiters) if (isMeant(news)) wake();
  }

  function take(isMeant: Waiter['isMeant']): WaitingPlace {
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

  async function inTurn<Result>(executionId: string, act: Act<Result>): Promise<Result> {
    const before = turns.get(executionId);
    const turn = before === undefined ? act() : before.then(act);
    // Whoever comes next waits for the end of it, whatever that is.
    const over = turn.then(
      ({ left }) => ({ left }),
      () => ({ left: undefined }),
    );
    turns.set(executionId, over);
    try {
      return (await turn).result;
    } finally {
      if (turns.get(executionId) === over) turns.delete(executionId);
    }
  }

  return {
    take,
    inTurn,
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
