/** The first signal interrupts the command. The second one ends the process. */
export async function interruptible<Result>(act: (interrupted: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupting = new AbortController();
  const interrupt = (): void => interrupting.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  try {
    return await act(interrupting.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}
