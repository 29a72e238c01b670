// `usage import` writes rejected events to a separate file, which can be imported after corrections. It reads
// compressed files, and reports the recorded events on interruption.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { unavailable } from '../../src/errors.js';
import { useApp } from '../harness.js';
import { northwind, sumsExpected, sumsOf, usageEvent } from '../metering/usage-samples.js';
import { useUsageCommandLine } from './usage-command-line.js';

const running = useApp();
const { folder, run } = useUsageCommandLine(running, []);
let owner: Awaited<ReturnType<typeof northwind>>;

beforeAll(async () => {
  owner = await northwind(running.app);
});

const write = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const json = (...events: unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const fields = Object.keys(usageEvent(0));
const csv = (...events: object[]) =>
  [fields, ...events.map((event) => Object.values(event))].map((cells) => `${cells.join(',')}\n`).join('');

describe('The events that an import rejects', () => {
  it('are written to the file of --rejects with the reason, and can be imported from it', async () => {
    const wrong = { ...usageEvent(2), cost: '-1' };
    write('mixed.ndjson', `${json(usageEvent(1), wrong)}not JSON\n"text"\n${json({ ...usageEvent(1), cost: '9' })}`);
    expect(await run('usage import mixed.ndjson --rejects refused.ndjson')).toMatchObject({
      stdout: '1 accepted, 0 duplicate, 1 conflicting, 3 invalid. Rejected events are in refused.ndjson.\n',
      exitCode: 1,
    });
    expect(statSync(join(folder, 'refused.ndjson')).mode & 0o777).toBe(0o600);
    const conflict = 'line 5: conflict: another event has the same source and id';
    expect(read('refused.ndjson')).toBe(
      json({ ...wrong, rejected: 'line 2: invalid: cost must be a decimal number of at least 0' }) +
        `not JSON\n"text"\n${json({ ...usageEvent(1), cost: '9', rejected: conflict })}`,
    );
    write('again.ndjson', read('refused.ndjson').replace('"cost":"-1"', '"cost":"1"').split('\n')[0] ?? '');
    expect(await run('usage import again.ndjson --rejects none.ndjson')).toEqual({
      stdout: '1 accepted, 0 duplicate, 0 conflicting, 0 invalid.\n',
      stderr: '',
      exitCode: 0,
    });
    expect(existsSync(join(folder, 'none.ndjson'))).toBe(false);
  });

  it('are listed also if the rest of the file cannot be read', async () => {
    const lines = json({ ...usageEvent(61), cost: '-1' });
    write('cut.ndjson.gz', gzipSync(lines.repeat(2_000)).subarray(0, 400));
    const { stderr, exitCode } = await run('usage import cut.ndjson.gz');
    expect(exitCode).not.toBe(0);
    expect(stderr).toMatch(/^line 1: invalid: cost must be a decimal number of at least 0\n/);
    expect(stderr).toMatch(/\ncut\.ndjson\.gz: .*Before that: .* invalid\.\n$/);
  });

  it.runIf(process.platform === 'linux')('are refused without leaving the file open', async () => {
    write('kept.ndjson', json(usageEvent(63)));
    write('there.ndjson', '');
    expect((await run('usage import kept.ndjson --rejects there.ndjson')).stderr).toMatch(/^--rejects: EEXIST/);
    const isOpen = () =>
      readdirSync('/proc/self/fd').some((fd) => {
        const link = join('/proc/self/fd', fd);
        return existsSync(link) && readlinkSync(link) === join(folder, 'kept.ndjson');
      });
    await expect.poll(isOpen).toBe(false);
  });

  it('are written unchanged, with one reason, however often they are rejected', async () => {
    const lines = ['{"id": 12345678901234567890, "usage": 1e400}', '{}', '[1]'];
    write('odd.ndjson', lines.map((line) => `${line}\r\n`).join(''));
    await run('usage import odd.ndjson --rejects odd-1.ndjson');
    const refused =
      '{"id": 12345678901234567890, "usage": 1e400,"rejected":"line 1: invalid: source is required"}\n' +
      '{"rejected":"line 2: invalid: source is required"}\n[1]\n';
    expect(read('odd-1.ndjson').replaceAll('\r', '')).toBe(refused);
    await run('usage import odd-1.ndjson --rejects odd-2.ndjson');
    expect(read('odd-2.ndjson').replaceAll('\r', '')).toBe(refused);
  });

  it('are compressed if the file name says so, and imported from there', async () => {
    // More than one batch, so it is written in several parts.
    const wrong = Array.from({ length: 10_001 }, (_, n) => ({ ...usageEvent(n), cost: '-1' }));
    write('many.ndjson', json(...wrong));
    await run('usage import many.ndjson --rejects many-1.ndjson.gz');
    const rejected = gunzipSync(readFileSync(join(folder, 'many-1.ndjson.gz'))).toString();
    expect(rejected.split('\n')).toHaveLength(wrong.length + 1);
    expect(await run('usage import many-1.ndjson.gz')).toMatchObject({
      stdout: '0 accepted, 0 duplicate, 0 conflicting, 10001 invalid.\n',
    });
  });

  it('include a last record that ends within a quote', async () => {
    write('open.csv', `${csv({ ...usageEvent(5), cost: '-1' })}"open,${fields.join(',')}\n`);
    expect(await run('usage import open.csv --rejects open-1.csv')).toMatchObject({ exitCode: 1 });
    expect(read('open-1.csv')).toContain('line 2: invalid: cost must be');
    expect(read('open-1.csv')).toContain('line 3: invalid: a quote in it is not closed');
  });

  it('are CSV for a CSV file, with one additional column, however often they are rejected', async () => {
    const wrong = { ...usageEvent(3), resourceName: '"a, ""b"""', cost: '-1' };
    write('mixed.csv', `${csv(usageEvent(4), wrong)}too,few\n`);
    await run('usage import mixed.csv --rejects one.csv');
    const rule = 'cost must be a decimal number of at least 0';
    const cells = Object.values(wrong).join(',');
    const few = `too,few${','.repeat(fields.length - 2)}`;
    const misfit = 'invalid: its number of values differs from the number of columns';
    expect(read('one.csv')).toBe(
      `${fields.join(',')},rejected\n${cells},line 3: invalid: ${rule}\n${few},line 4: ${misfit}\n`,
    );
    await run('usage import one.csv --rejects two.csv');
    const [, second, third = ''] = read('two.csv').split('\n');
    expect(second).toBe(`${cells},line 2: invalid: ${rule}`);
    expect(third).toMatch(/^too,few,+line 3: invalid: \w+ is required$/);
    write('three.csv', read('two.csv').replace(`${third}\n`, '').replace(',-1,', ',1,'));
    expect(await run('usage import three.csv')).toMatchObject({ exitCode: 0 });
    const taken = [usageEvent(1), usageEvent(2, { cost: '1' }), usageEvent(4), usageEvent(3, { cost: '1' })];
    expect(await sumsOf(owner.ctx, owner.accountId)).toEqual(sumsExpected(taken));
  });

  it.runIf(process.platform === 'linux')('are reported as unwritable beside the recorded events', async () => {
    const wrong = Array.from({ length: 30 }, () => ({ ...usageEvent(2), cost: '-1' }));
    write('many.ndjson', json(usageEvent(1), ...wrong));
    // As if the disk were full.
    const limit = (bytes: string) => execFileSync('prlimit', [`--fsize=${bytes}:`, '--pid', String(process.pid)]);
    limit('1000');
    const { stdout, stderr, exitCode } = await run('usage import many.ndjson --rejects full.ndjson');
    limit('unlimited');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    const before = 'Before that: 0 accepted, 1 duplicate, 0 conflicting, 30 invalid.';
    expect(stderr).toMatch(/^--rejects: EFBIG/m);
    expect(stderr).toContain(before);
  });

  it('never overwrite an existing file', async () => {
    write('precious.txt', 'precious');
    write('fine.ndjson', json(usageEvent(1)));
    expect(await run('usage import fine.ndjson --rejects precious.txt')).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/^--rejects: EEXIST/),
      exitCode: 2,
    });
    expect(read('precious.txt')).toBe('precious');
  });
});

describe('A compressed file', () => {
  it.each([
    ['events.ndjson.gz', json(usageEvent(1), usageEvent(2, { cost: '1' }))],
    ['events.csv.gz', csv(usageEvent(1), usageEvent(4))],
  ])('is decompressed: %s', async (name, content) => {
    write(name, gzipSync(content));
    expect(await run(`usage import ${name}`)).toEqual({
      stdout: '0 accepted, 2 duplicate, 0 conflicting, 0 invalid.\n',
      stderr: '',
      exitCode: 0,
    });
  });

  it('that is invalid or truncated is rejected', async () => {
    write('plain.ndjson.gz', json(usageEvent(1)));
    expect(await run('usage import plain.ndjson.gz')).toEqual({
      stdout: '',
      stderr: 'plain.ndjson.gz: incorrect header check\n',
      exitCode: 2,
    });
    write('half.ndjson.gz', gzipSync(json(usageEvent(1))).subarray(0, -12));
    expect(await run('usage import half.ndjson.gz')).toMatchObject({ exitCode: 2 });
  });
});

describe('An import that fails', () => {
  it('says what it recorded before', async () => {
    const { series } = running.app.services.usageMemory;
    const assign = series.assign.bind(series);
    let chunks = 0;
    const failing = vi.spyOn(series, 'assign').mockImplementation((accountId, events) => {
      if (++chunks > 4) throw unavailable('The database is not reachable. Try again.');
      return assign(accountId, events);
    });
    try {
      const events = Array.from({ length: 10_050 }, (_, n) => usageEvent(n, { source: 'failing' }));
      const standardInput = Readable.from(events.map((event) => `${JSON.stringify(event)}\n`));
      expect(await run('usage import -', { standardInput })).toMatchObject({
        stderr:
          'The database is not reachable. Try again. Before that: 10000 accepted, 0 duplicate, 0 conflicting, 0 invalid.\n',
        exitCode: 1,
      });
    } finally {
      failing.mockRestore();
    }
  });
});

describe('An import that is interrupted', () => {
  it('reports the recorded events, and continues the next time', async () => {
    const events = Array.from({ length: 10_050 }, (_, n) => usageEvent(n, { source: 'interrupted' }));
    const standardInput = new PassThrough();
    const interrupting = new AbortController();
    const importing = run('usage import -', { standardInput, interrupted: interrupting.signal });
    standardInput.write(json(...events));
    const recorded = () => running.app.services.db.usageEvent.count({ where: { source: 'interrupted' } });
    await expect.poll(recorded, { timeout: 20_000 }).toBe(10_000);
    interrupting.abort();
    expect(await importing).toEqual({
      stdout: '10000 accepted, 0 duplicate, 0 conflicting, 0 invalid.\n',
      stderr: 'Interrupted after line 10000. Run the command again to continue.\n',
      exitCode: 1,
    });
    write('whole.ndjson', json(...events));
    expect(await run('usage import whole.ndjson')).toMatchObject({
      stdout: '50 accepted, 10000 duplicate, 0 conflicting, 0 invalid.\n',
      exitCode: 0,
    });
  });
});
