// Summarizes repeated failures in the log: the first one is logged in full, later ones as a count once a minute. Otherwise an
// outage of the database would fill the disk with equal lines.
import type { LoggerOptions } from 'pino';

/**
 * The key by which a line is summarized. Warnings and errors with an `err` are summarized without it. The key itself is not
 * written.
 */
export const repeats: unique symbol = Symbol('repeats');

const periodMs = 60_000;

/** Maximum number of kinds of failures in one period. Further ones are counted together. */
const kindsMax = 200;
const warn = 40;

/** The hook for the log. If a kind of failure does not occur for a minute, the next one is logged in full again. */
export function summedUp(): NonNullable<LoggerOptions['hooks']> {
  const counts = new Map<string, number>();
  return {
    logMethod(args, method, level) {
      const kind = kindOf(args, level);
      if (kind === undefined) return method.apply(this, args);
      const known = counts.has(kind) || counts.size < kindsMax ? kind : 'others';
      const count = counts.get(known);
      if (count !== undefined) {
        counts.set(known, count + 1);
        return;
      }
      counts.set(known, 0);
      method.apply(this, args);
      const report = () => {
        const more = counts.get(known) ?? 0;
        counts.delete(known);
        if (more === 0) return;
        // The failure continues: start the next period.
        counts.set(known, 0);
        const message = `${messageOf(args)}: ${more} more in ${periodMs / 1_000} seconds`;
        method.apply(this, [{ repeated: more, kind: known }, message]);
        setTimeout(report, periodMs).unref();
      };
      setTimeout(report, periodMs).unref();
    },
  };
}

function messageOf(args: readonly unknown[]): string {
  return typeof args[1] === 'string' ? args[1] : 'a line';
}

/** The kind of a failure: its message, and its code or, for unknown errors, the place that threw it. */
function kindOf(args: readonly unknown[], level: number): string | undefined {
  const [fields] = args;
  if (typeof fields !== 'object' || fields === null) return undefined;
  if (repeats in fields) return `${messageOf(args)} ${String(fields[repeats])}`;
  if (level < warn || !('err' in fields)) return undefined;
  const task = 'task' in fields ? String(fields.task) : '';
  const code = 'code' in fields ? String(fields.code) : '';
  return `${messageOf(args)} ${task} ${code === '' || code === 'internal_error' ? signatureOf(fields.err) : code}`.trim();
}

function signatureOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? String(error.code) : '';
  const location = error.stack?.split('\n').find((line) => /^\s+at /.test(line) && !/node_modules|node:/.test(line));
  return [error.name, code, location?.trim().replace(/^at .*?\(?(?:file:\/\/)?([^()]*)\)?$/, '$1')]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}
