// Slow statements in the log: those of requests, and no others at the default level.
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { statementWatcher } from '../../src/server/create-services.js';

const lines: string[] = [];
const stream = new Writable({
  write: (chunk, _encoding, done) => {
    lines.push(String(chunk));
    done();
  },
});
const sql = 'SELECT "name" FROM "account" WHERE "id" = $1';
const watch = statementWatcher(
  { database: { statement: () => {} } },
  { ACCESS_LOG_SLOW_MS: 1_000 },
  pino({}, stream),
  undefined,
);
const slow = { sql, startedMs: 0, seconds: 1.5 };

/** The log lines during an action. */
function logged(act: () => void): unknown[] {
  lines.length = 0;
  act();
  return lines.map((line) => JSON.parse(line));
}

describe('A slow statement', () => {
  it('of a request is logged with its SQL', () => {
    const of = 'requests';
    expect(logged(() => watch(slow, of))).toEqual([expect.objectContaining({ msg: 'slow statement', sql, of })]);
    expect(logged(() => watch({ ...slow, seconds: 0.9 }, of))).toEqual([]);
  });

  it('of a background task is not logged', () => {
    expect(logged(() => watch(slow, 'background'))).toEqual([]);
  });
});
