// What fails again and again is told once in a while: the first time whole, then with how often it has happened since.
// A database that is away for an hour otherwise fills a disk with the same line.
import type { LoggerOptions } from 'pino';

/**
 * Under this key a line says what it repeats, if it is one of those that are summed up. Warnings and errors with an
 * `err` are that without it. The key is no part of what is written.
 */
export const repeats: unique symbol = Symbol('repeats');

const periodMs = 60_000;

/** So many kinds of failures are told apart; whatever comes beyond them in one period is one kind. */
const kindsMax = 200;
const warn = 40;

/** The hook of a log that sums up. Of a kind that stays away for a minute the next line is whole again. */
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
      const tell = () => {
        const more = counts.get(known) ?? 0;
        counts.delete(known);
        if (more === 0) return;
        // It goes on: the next period begins.
        counts.set(known, 0);
        const message = `${messageOf(args)}: ${more} more in ${periodMs / 1_000} seconds`;
        method.apply(this, [{ repeated: more, kind: known }, message]);
        setTimeout(tell, periodMs).unref();
      };
      setTimeout(tell, periodMs).unref();
    },
  };
}

function messageOf(args: readonly unknown[]): string {
  return typeof args[1] === 'string' ? args[1] : 'a line';
}

/** What tells one failure from another: its message, and its code or, of what is not known, where it was thrown. */
function kindOf(args: readonly unknown[], level: number): string | undefined {
  const [fields] = args;
  if (typeof fields !== 'object' || fields === null) return undefined;
  if (repeats in fields) return `${messageOf(args)} ${String(fields[repeats])}`;
  if (level < warn || !('err' in fields)) return undefined;
  const job = 'job' in fields ? String(fields.job) : '';
  const code = 'code' in fields ? String(fields.code) : '';
  return `${messageOf(args)} ${job} ${code === '' || code === 'internal_error' ? signatureOf(fields.err) : code}`.trim();
}

function signatureOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? String(error.code) : '';
  const place = error.stack?.split('\n').find((line) => /^\s+at /.test(line) && !/node_modules|node:/.test(line));
  return [error.name, code, place?.trim().replace(/^at .*?\(?(?:file:\/\/)?([^()]*)\)?$/, '$1')]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}
