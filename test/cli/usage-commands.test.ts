// `usage import`: events out of files and standard input, each counted once however often and how far it is run.
import { databaseOf } from '../../src/auth/context.js';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../src/cli/print.js';
import { createBillingDimension } from '../../src/billing/billing-changes.js';
import { platformContext } from '../../src/cli/operator/operator-context.js';
import { createTenant, useApp } from '../harness.js';
import type { PlainEvent } from '../billing/recount.js';
import { northwind, sumsExpected, sumsOf, usageEvent } from '../metering/usage-samples.js';
import { useUsageCommandLine } from './usage-command-line.js';

const running = useApp();
const { folder, run, importText } = useUsageCommandLine(running, ['folder']);
let owner: Awaited<ReturnType<typeof northwind>>;
/** All that was accepted so far. */
const counted: PlainEvent[] = [];

beforeAll(async () => {
  owner = await northwind(running.app);
});

const done = (accepted: number, duplicate = 0, conflict = 0, invalid = 0): CommandResult => ({
  stdout: `${accepted} accepted, ${duplicate} duplicate, ${conflict} conflicting, ${invalid} invalid.\n`,
  stderr: '',
  exitCode: 0,
});

async function expectCounted(...more: PlainEvent[]): Promise<void> {
  counted.push(...more);
  expect(await sumsOf(owner.ctx, owner.accountId)).toEqual(sumsExpected(counted));
}

let sources = 0;

/** So many events of a source of their own. */
function someEvents(count: number): PlainEvent[] {
  const source = `source-${++sources}`;
  return Array.from({ length: count }, (_, n) => usageEvent(n, { source }));
}

const ndjson = (events: readonly unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const columns = Object.keys(usageEvent(0));
const quoted = (value: string) => `"${value.replaceAll('"', '""')}"`;

function csv(events: readonly PlainEvent[], names = columns, end = '\n'): string {
  const rows = events.map((event) => names.map((name) => quoted(String(Reflect.get(event, name) ?? ''))).join(','));
  return [names.join(','), ...rows].map((row) => `${row}${end}`).join('');
}

describe('usage import', () => {
  it('accepts credits in both formats, and rejects positive ones', async () => {
    const resourceTypes = ['sandbox'];
    await createBillingDimension(await platformContext(running.app.services), {
      name: 'goodwill',
      unit: 'USD',
      kind: 'credit',
      resourceTypes,
      description: '',
    });
    const credits = someEvents(4).map((event) => ({
      ...event,
      billingDimension: 'goodwill',
      usage: '-1',
      cost: '-2.5',
    }));
    const wrong = credits.map((event) => ({ ...event, id: `${event.id}-wrong`, cost: '2.5' }));
    const [first, second] = [credits.slice(0, 2), credits.slice(2)];
    expect(await importText('credits.ndjson', ndjson(first))).toEqual(done(2));
    const imported = await importText('credits.csv', csv([...second, ...wrong]));
    expect(imported).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('2 accepted') });
    expect(imported.stdout + imported.stderr).toContain('cost must be a decimal number of at most 0');
    await expectCounted(...credits);
  });

  it('accepts NDJSON, and counts nothing twice when it is run again', async () => {
    const events = someEvents(30);
    expect(await importText('usage.ndjson', ndjson(events))).toEqual(done(30));
    await expectCounted(...events);
    expect(await run('usage import usage.ndjson')).toEqual(done(0, 30));
    await expectCounted();
  });

  it('accepts more events than the account may send in a minute', async () => {
    const { db } = running.app.services;
    const subject = `account ${owner.accountId}`;
    await db.quota.create({ data: { subject, limits: { USAGE_EVENTS: 10 }, updatedAt: new Date() } });
    try {
      const events = someEvents(30);
      expect(await importText('limited.ndjson', ndjson(events))).toEqual(done(30));
      await expectCounted(...events);
    } finally {
      await db.quota.delete({ where: { subject } });
    }
  });

  it.each([
    ['with CRLF', (content: string) => content.replaceAll('\n', '\r\n')],
    ['with a byte order mark', (content: string) => `\uFEFF${content}`],
    ['with empty lines', (content: string) => content.replaceAll('\n', '\n \n\n')],
    ['without a line feed at its end', (content: string) => content.trimEnd()],
  ])('accepts NDJSON %s', async (_what, written) => {
    const events = someEvents(3);
    expect(await importText('written.ndjson', written(ndjson(events)))).toEqual(done(3));
    await expectCounted(...events);
  });

  it('accepts amounts as numbers, unknown fields, and strings with any line separator but a line feed', async () => {
    const [one, other] = someEvents(2).map((event) => ({ ...event, resourceName: 'a\u2028b\u2029c "ü"' }));
    if (one === undefined || other === undefined) throw new Error('there are two');
    const given = [one, { ...other, cost: Number(other.cost), usage: Number(other.usage), colour: 'blue' }];
    expect(await importText('numbers.ndjson', ndjson(given))).toEqual(done(2));
    await expectCounted(one, other);
    const names = await (
      await databaseOf(owner.ctx).$prisma()
    ).usageSeries.findMany({ where: { resourceName: one.resourceName } });
    expect(names.length).toBeGreaterThan(0);
  });

  it.each([
    ['quoted', csv],
    ['with CRLF', (events: PlainEvent[]) => csv(events, columns, '\r\n')],
    ['with a byte order mark', (events: PlainEvent[]) => `\uFEFF${csv(events)}`],
    ['with its columns in another order', (events: PlainEvent[]) => csv(events, columns.toReversed())],
    ['with columns that it does not know', (events: PlainEvent[]) => csv(events, ['colour', ...columns, 'label'])],
    ['with empty lines, and none at its end', (events: PlainEvent[]) => csv(events).replaceAll('\n', '\n\n').trimEnd()],
  ])('accepts CSV %s', async (_what, written) => {
    const events = someEvents(4).map((event) => ({ ...event, resourceName: 'a, "b" and\u2028ü' }));
    expect(await importText('written.csv', written(events))).toEqual(done(4));
    await expectCounted(...events);
    expect(await importText('again.ndjson', ndjson(events))).toEqual(done(0, 4));
  });

  it('accepts CSV without a resource id column, which many types do not need', async () => {
    const names = columns.filter((name) => name !== 'resourceUuid');
    const events = someEvents(2).map((event) => ({ ...event, resourceUuid: '' }));
    expect(await importText('no-uuid.csv', csv(events, names))).toEqual(done(2));
    await expectCounted(...events);
  });

  it.each(['ndjson', 'csv'])('accepts standard input: %s', async (format) => {
    const events = someEvents(5);
    const content = format === 'csv' ? csv(events) : ndjson(events);
    const standardInput = Readable.from([Buffer.from(content.slice(0, 99)), Buffer.from(content.slice(99))]);
    expect(await run(`usage import - --format ${format}`, { standardInput })).toEqual(done(5));
    await expectCounted(...events);
  });

  it('prints the results of the events as JSON', async () => {
    const events = someEvents(2);
    writeFileSync(join(folder, 'told.ndjson'), ndjson(events));
    const { stdout } = await run('usage import told.ndjson --json');
    expect(JSON.parse(stdout)).toEqual({ accepted: '2', duplicate: '0', conflict: '0', invalid: '0' });
    await expectCounted(...events);
  });

  it.each([0, 1])('accepts an empty file of %s empty lines as one without events', async (count) => {
    for (const name of ['empty.ndjson', 'empty.csv']) {
      expect(await importText(name, '\n'.repeat(count))).toEqual(done(0));
    }
    expect(await importText('names-alone.csv', csv([]))).toEqual(done(0));
  });

  it('continues after an interruption when it is run again', async () => {
    const events = someEvents(25_000);
    writeFileSync(join(folder, 'long.ndjson'), ndjson(events));
    async function* broken() {
      yield ndjson(events.slice(0, 12_000));
      throw new Error('the line went dead');
    }
    const standardInput = Readable.from(broken());
    const { stdout, stderr, exitCode } = await run('usage import -', { standardInput });
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: '',
      stderr: '-: the line went dead. Before that: 12000 accepted, 0 duplicate, 0 conflicting, 0 invalid.\n',
      exitCode: 2,
    });
    // All whole lines before the interruption are recorded.
    await expectCounted(...events.slice(0, 12_000));
    expect(await run('usage import long.ndjson')).toEqual(done(13_000, 12_000));
    await expectCounted(...events.slice(12_000));
  });

  it('accepts events of several accounts', async () => {
    await createTenant(running.app, { account: 'southwind', workspaces: ['south'] });
    const [mine, theirs] = [someEvents(2), someEvents(3)];
    const given = [...mine, ...theirs.map((event) => ({ ...event, account: 'southwind', workspace: 'south' }))];
    expect(await importText('two.ndjson', ndjson(given))).toEqual(done(5));
    await expectCounted(...mine);
  });
});

describe('usage import on a terminal', () => {
  it('shows its progress by file size and events', async () => {
    const events = someEvents(50);
    writeFileSync(join(folder, 'progress.ndjson'), ndjson(events));
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    const shown = text(terminal);
    expect(await run('usage import progress.ndjson', { terminal })).toEqual(done(50));
    terminal.end();
    expect(await shown).toMatch(/Importing .*100%.*50 events/s);
    await expectCounted(...events);
  });

  it('shows only events if the size is unknown', async () => {
    const events = someEvents(7);
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    const shown = text(terminal);
    const standardInput = Readable.from([ndjson(events)]);
    expect(await run('usage import -', { terminal, standardInput })).toEqual(done(7));
    terminal.end();
    const all = await shown;
    expect(all).toContain('Importing 7 events');
    expect(all).not.toContain('%');
    await expectCounted(...events);
  });
});
