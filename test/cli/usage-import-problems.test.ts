// `usage import` reports rejected lines with reasons, and problems of invalid files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../harness.js';
import { northwind, sumsExpected, sumsOf, usageEvent } from '../metering/usage-samples.js';
import { useUsageCommandLine } from './usage-command-line.js';

const running = useApp();
const { folder, run, importText } = useUsageCommandLine(running, ['folder', 'folder.csv']);
let owner: Awaited<ReturnType<typeof northwind>>;

beforeAll(async () => {
  owner = await northwind(running.app);
});

const fields = Object.keys(usageEvent(0));
const rowOf = (more: Record<string, string>) => Object.values({ ...usageEvent(0), ...more }).join(',');

describe('Rejected events of a file', () => {
  it('are reported with line and rule, while the others are recorded', async () => {
    const lines = [
      usageEvent(1),
      { ...usageEvent(2), cost: '-1' },
      usageEvent(3),
      usageEvent(3),
      { ...usageEvent(3), cost: '9' },
      { ...usageEvent(4), account: 'no-such' },
      { ...usageEvent(4), workspace: 'no-such' },
      [],
      'text',
    ].map((event) => JSON.stringify(event));
    const text = [...lines.slice(0, 2), '', '{"source":', ...lines.slice(2), 'source,id', usageEvent(5)].map((line) =>
      typeof line === 'string' ? line : JSON.stringify(line),
    );
    expect(await importText('mixed.ndjson', text.join('\n'))).toEqual({
      stdout: '3 accepted, 1 duplicate, 1 conflicting, 7 invalid.\n',
      stderr: [
        'line 2: invalid: cost must be a decimal number of at least 0',
        'line 4: invalid: it is not JSON',
        'line 7: conflict: another event has the same source and id',
        'line 8: invalid: account must be an account that the credential can record usage for',
        'line 9: invalid: workspace must be a workspace of the account',
        'line 10: invalid: source is required. An event is an object',
        'line 11: invalid: source is required. An event is an object',
        'line 12: invalid: it is not JSON',
        '',
      ].join('\n'),
      exitCode: 1,
    });
    const taken = [usageEvent(1), usageEvent(3), usageEvent(5)];
    expect(await sumsOf(owner.ctx, owner.accountId)).toEqual(sumsExpected(taken));
  });

  it('name the last line of a CSV record', async () => {
    const rows = [
      fields.join(','),
      rowOf({ id: 'csv-1' }),
      rowOf({ id: 'csv-2', usage: '-1' }),
      '',
      rowOf({ id: 'csv-3', resourceName: '"two\nlines"' }),
      rowOf({ id: 'csv-4', time: 'yesterday' }),
      rowOf({ id: 'csv-5', cost: '1,5' }),
      'meter,csv-6,northwind',
      rowOf({ id: 'csv-7' }),
    ];
    expect(await importText('mixed.csv', rows.join('\n'))).toEqual({
      stdout: '2 accepted, 0 duplicate, 0 conflicting, 5 invalid.\n',
      stderr: [
        'line 3: invalid: usage must be a decimal number of at least 0',
        'line 6: invalid: resourceName must not contain control characters',
        'line 7: invalid: time must be an RFC 3339 time, such as 2026-04-28T00:00:00Z',
        'line 8: invalid: its number of values differs from the number of columns',
        'line 9: invalid: its number of values differs from the number of columns',
        '',
      ].join('\n'),
      exitCode: 1,
    });
  });

  it('cost no other line, with stray quotes and lines that end in three ways', async () => {
    const rows = [
      `\uFEFF${fields.join(',')}`,
      ...Array.from({ length: 12_000 }, (_, n) => rowOf({ id: `long-${n}` })),
      rowOf({ id: 'stray', source: '"meter' }),
      rowOf({ id: 'long-12001' }),
      rowOf({ id: 'inside', resourceName: 'a "b"' }),
      '',
      '"meter"x,few',
      rowOf({ id: 'long-12002', resourceName: '"a, b"' }),
      rowOf({ id: 'last', source: '"meter' }),
    ];
    const text = rows.map((row, n) => `${row}${['\n', '\r\n', '\r'][n % 3] ?? ''}`).join('');
    writeFileSync(join(folder, 'LONG.CSV'), text);
    const quote =
      'invalid: a quote in it does not enclose a value: quotes enclose a whole value, and a quote within it is doubled';
    const told = [
      'line 12002: invalid: a quote in it is not closed',
      `line 12004: ${quote}`,
      `line 12006: ${quote}`,
      'line 12008: invalid: a quote in it is not closed',
    ];
    expect(await run('usage import LONG.CSV --rejects stray.csv')).toEqual({
      stdout: '12002 accepted, 0 duplicate, 0 conflicting, 4 invalid. Rejected events are in stray.csv.\n',
      stderr: `${told.join('\n')}\n`,
      exitCode: 1,
    });
    const rejected = readFileSync(join(folder, 'stray.csv'), 'utf8').split('\n');
    expect(rejected).toHaveLength(6);
    expect(rejected[1]).toBe(
      `${rowOf({ id: 'stray', source: '"meter' })},line 12002: invalid: a quote in it is not closed`,
    );
    await run('usage import stray.csv --rejects again.csv');
    const again = readFileSync(join(folder, 'again.csv'), 'utf8').split('\n');
    expect(again).toHaveLength(6);
    expect(again[1]).toBe(`${rowOf({ id: 'stray', source: '"meter' })},line 2: invalid: a quote in it is not closed`);
  });

  it('are listed up to twenty, and all counted', async () => {
    const { stdout, stderr, exitCode } = await importText('many.ndjson', 'nonsense\n'.repeat(25));
    const told = Array.from({ length: 20 }, (_, n) => `line ${n + 1}: invalid: it is not JSON\n`).join('');
    expect(stdout).toBe('0 accepted, 0 duplicate, 0 conflicting, 25 invalid.\n');
    expect(stderr).toBe(`${told}More events were rejected. Only the first 20 are listed.\n`);
    expect(exitCode).toBe(1);
  });

  it('cannot move the cursor of a terminal', async () => {
    const event = JSON.stringify({ ...usageEvent(1), billingDimension: '\u001b[2J' });
    const { stderr } = await importText('escape.ndjson', event);
    expect(stderr).toBe('line 1: invalid: billingDimension must not contain control characters\n');
  });
});

describe('A file without usage', () => {
  const sums = () => sumsOf(owner.ctx, owner.accountId);

  it.each([
    ['usage import', '"usage import" requires FILE'],
    ['usage import a b', '"usage import": unexpected argument "b"'],
    ['usage import a --format xml', '--format: must be one of: ndjson, csv'],
    ['usage import a --format', '--format requires a value'],
    ['usage import -', 'FILE: standard input is not available here'],
    ['usage import folder', 'folder: EISDIR: illegal operation on a directory, read'],
    ['usage import folder.csv', 'folder.csv: EISDIR: illegal operation on a directory, read'],
  ])('is rejected: %s', async (line, message) => {
    expect(await run(line)).toEqual({ stdout: '', stderr: `${message}\n`, exitCode: 2 });
  });

  it('is rejected if it does not exist', async () => {
    const { stdout, stderr, exitCode } = await run('usage import no-such.csv');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toMatch(/^no-such\.csv: ENOENT: no such file or directory, .+\n$/);
  });

  it.each([
    ['cost', 'there is no column cost'],
    ['source', 'there is no column source'],
    ['billingDimension', 'there is no column billingDimension'],
  ])('is rejected before it is read, if CSV lacks the column %s, or it is misspelt', async (name, message) => {
    const before = await sums();
    for (const names of [
      fields.filter((field) => field !== name),
      fields.map((field) => (field === name ? name.toUpperCase() : field)),
    ]) {
      const row = names.map((field) => Reflect.get(usageEvent(100), field) ?? '').join(',');
      expect(await importText('columns.csv', `${names.join(',')}\n${row}\n`)).toEqual({
        stdout: '',
        stderr: `columns.csv: ${message}\n`,
        exitCode: 2,
      });
    }
    expect(await sums()).toEqual(before);
  });

  it.each([
    ['two columns of one name', `${fields.join(',')},cost\n${rowOf({})},2`, 'there are two columns cost'],
    [
      'semicolons',
      `${fields.join(';')}\n`,
      `there is no column ${fields.filter((name) => name !== 'resourceUuid').join(', ')}`,
    ],
    [
      'NDJSON',
      JSON.stringify(usageEvent(1)),
      `there is no column ${fields.filter((name) => name !== 'resourceUuid').join(', ')}`,
    ],
  ])('is rejected as CSV if it has %s', async (_what, content, message) => {
    expect(await importText('other.csv', content)).toEqual({
      stdout: '',
      stderr: `other.csv: ${message}\n`,
      exitCode: 2,
    });
  });

  it('is rejected as NDJSON if it is one endless line', async () => {
    const content = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => usageEvent(n)));
    expect(await importText('array.json', content)).toEqual({
      stdout: '0 accepted, 0 duplicate, 0 conflicting, 1 invalid.\n',
      stderr: 'line 1: invalid: it is longer than 1000000 bytes: NDJSON has one event per line\n',
      exitCode: 1,
    });
  });

  it('is CSV by its extension, and by --format with any extension', async () => {
    writeFileSync(join(folder, 'usage.txt'), `${fields.join(',')}\n${rowOf({ id: 'by-format' })}\n`);
    expect(await run('usage import usage.txt')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('line 1'),
    });
    expect(await run('usage import usage.txt --format csv')).toMatchObject({ exitCode: 0, stderr: '' });
    const standardInput = Readable.from([JSON.stringify(usageEvent(0, { id: 'by-format' }))]);
    const known = { stdout: '0 accepted, 1 duplicate, 0 conflicting, 0 invalid.\n', exitCode: 0 };
    expect(await run('usage import -', { standardInput })).toMatchObject(known);
  });
});
