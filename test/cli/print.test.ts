// Tables of any length, and failures.
import { expect, it } from 'vitest';
import { failedResult } from '../../src/cli/failed-result.js';
import { getCommand } from '../../src/cli/get-command.js';
import { createPrint } from '../../src/cli/print.js';
import { failedOnDatabase } from '../../src/cli/run.js';

/** More than a call of a function can have arguments. */
const count = 200_000;

it('a table can have any number of rows', () => {
  const { print, result } = createPrint(false);
  print.table(
    ['name', 'place'],
    Array.from({ length: count }, (_, index) => ({ name: `agent-${index}`, place: null })),
  );
  const lines = result.stdout.split('\n');
  expect(lines).toHaveLength(count + 2);
  expect(lines.slice(0, 2)).toEqual(['NAME          PLACE', 'agent-0       -']);
});

it('get prints a list of any length', async () => {
  const nodes = Array.from({ length: count }, (_, index) => ({ version: 1, metadata: { name: `agent-${index}` } }));
  const page = { pageInfo: { hasNextPage: false }, nodes };
  const answer = () => Promise.resolve({ agents: page });
  const session = {
    gateway: { query: answer, mutate: answer, pause: async () => {} },
    server: 'http://localhost:4000',
    loginFile: '',
    folder: '/',
    standardInput: process.stdin,
    tell: () => {},
    pause: async () => {},
  };
  const given = new Map([
    ['kind', 'Agent'],
    ['workspace', 'main'],
  ]);
  const { stdout, exitCode } = await getCommand.run(session, {
    text: (flag) => given.get(flag),
    has: (flag) => given.has(flag),
  });
  expect(exitCode).toBe(0);
  expect(stdout.split('\n')).toHaveLength(count + 2);
});

it('a file that a client of a gateway cannot write is named, and taken for no database', () => {
  const error = Object.assign(new Error("ENOENT: no such file or directory, mkdir '/absent'"), { code: 'ENOENT' });
  expect(failedResult(error)).toEqual({ stdout: '', stderr: `${error.message}\n`, exitCode: 1 });
  expect(failedOnDatabase(error).stderr).toBe('The database is not reachable. Try again.\n');
});
