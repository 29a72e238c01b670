// A progress bar on a terminal, below the lines that a command prints in the meantime.
import { clearLine, cursorTo } from 'node:readline';
import type { Writable } from 'node:stream';
import { MultiBar } from 'cli-progress';

export interface ProgressBar {
  /** @param values the further values of the format. */
  update: (done: number, values?: Record<string, number>) => void;
  setTotal: (total: number) => void;
  /** Removes the bar, lets `write` write lines to the same terminal, and draws the bar below them. */
  above: (write: () => void) => void;
  /** Removes the bar. */
  stop: () => void;
}

/**
 * Shows a progress bar, which an interrupt (Ctrl+C) removes.
 *
 * @param terminal undefined if there is none. Then nothing is shown.
 * @param format the format of cli-progress, such as `Importing {bar} {percentage}%`.
 * @param values the initial further values of the format.
 */
export function openProgressBar(
  terminal: Writable | undefined,
  format: string,
  total: number,
  values: Record<string, number> = {},
): ProgressBar {
  if (terminal === undefined)
    return { update: () => {}, setTotal: () => {}, above: (write) => write(), stop: () => {} };
  // One bar of a MultiBar: a SingleBar saves the position of the cursor, which is wrong after other lines.
  const bars = new MultiBar({ stream: terminal, format, clearOnComplete: true, forceRedraw: true });
  const bar = bars.create(total, 0, values);
  bars.update();
  return {
    update: (done, changed = {}) => bar.update(done, changed),
    setTotal: (of) => bar.setTotal(of),
    above: (write) => {
      if (!bars.isActive) return write();
      cursorTo(terminal, 0);
      clearLine(terminal, 0);
      write();
      bars.update();
    },
    stop: () => {
      if (!bars.isActive) return;
      bars.update();
      bars.stop();
    },
  };
}
