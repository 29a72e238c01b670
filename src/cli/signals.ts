// Signals: the first one interrupts a command, the second one ends the process.
const signals = ['SIGINT', 'SIGTERM'] as const;

let cleanUp = (): void => {};

/** Has something removed before a signal ends the process. */
export function beforeSignalEnds(act: () => void): void {
  cleanUp = act;
}

/** Waits for something that the first signal ends, with the process. */
export async function endedBySignals(waiting: Promise<unknown>): Promise<void> {
  for (const signal of signals) process.on(signal, endBy);
  try {
    await waiting;
  } finally {
    for (const signal of signals) process.off(signal, endBy);
  }
}

/** Ends the process as the signal does by default, without leaving files behind. */
function endBy(signal: NodeJS.Signals): void {
  cleanUp();
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** The first signal interrupts the command. The second one ends the process. */
export async function interruptible<Result>(act: (interrupted: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupting = new AbortController();
  const interrupt = (signal: NodeJS.Signals): void =>
    interrupting.signal.aborted ? endBy(signal) : interrupting.abort();
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await act(interrupting.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}
