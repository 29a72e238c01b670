// Lines out of chunks, and batches out of parts: wherever they are cut, nothing is lost, doubled or out of order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchItems, FirstItemTimeout } from '../../src/metering/batch-items.js';
import { jsonLines } from '../../src/metering/usage-lines.js';
import type { JsonLine } from '../../src/metering/usage-lines.js';

async function* chunksOf(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    yield bytes.subarray(from, cut);
    from = cut;
  }
}

async function read(bytes: Buffer, cuts: readonly number[]): Promise<JsonLine[]> {
  const lines: JsonLine[] = [];
  for await (const part of jsonLines(chunksOf(bytes, cuts))) lines.push(...part);
  return lines;
}

const cuts = fc.array(fc.nat(), { maxLength: 12 });
const value = fc.oneof(fc.record({ id: fc.string({ unit: 'binary' }) }), fc.jsonValue());

describe('jsonLines', () => {
  it('parses each value on its own line, for any chunk boundaries', async () => {
    const lines = fc.array(fc.option(value, { nil: undefined }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(lines, cuts, fc.constantFrom('\n', '\r\n'), async (values, places, end) => {
        const text = values.map((each) => (each === undefined ? ' ' : JSON.stringify(each))).join(end);
        const expected = values.flatMap((event, place) =>
          event === undefined ? [] : [{ line: place + 1, event: JSON.parse(JSON.stringify(event)) }],
        );
        const found = await read(Buffer.from(text), places);
        expect(found.map(({ line, event }) => ({ line, event }))).toEqual(expected);
      }),
    );
  });

  it('rejects only the lines that are not UTF-8, for any chunk boundaries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), cuts, async (areGood, places) => {
        const bytes = areGood.map((isGood) => (isGood ? Buffer.from('"ü"\n') : Buffer.from([0x22, 0xc3, 0x22, 0x0a])));
        const found = await read(Buffer.concat(bytes), places);
        expect(found.map(({ problem }) => problem)).toEqual(
          areGood.map((isGood) => (isGood ? undefined : 'it is not UTF-8')),
        );
      }),
    );
  });
});

describe('A line', () => {
  it('keeps only its text while it is short, and its value if it is long', async () => {
    const long = JSON.stringify({ id: 'x'.repeat(4_000) });
    const [short, other] = await read(Buffer.from(`{"id":"x"}\n${long}\n`), []);
    expect(short?.event).toEqual({ id: 'x' });
    expect(short?.event).not.toBe(short?.event);
    expect(other?.event).toBe(other?.event);
    expect([short, other].map((line) => line?.length)).toEqual([10, long.length]);
  });

  it('that is not JSON is reported, short or long', async () => {
    const found = await read(Buffer.from(`{"id":\n${'x'.repeat(4_001)}\n`), []);
    expect(found.map(({ event, problem }) => ({ event, problem }))).toEqual(
      [1, 2].map(() => ({ event: undefined, problem: 'it is not JSON' })),
    );
  });
});

describe('batchItems', () => {
  const size = 10;
  const weigh = (each: number): number => each;

  it('yields all items in order, in batches of bounded length and size', async () => {
    const parts = fc.array(fc.array(fc.nat({ max: 50 }), { maxLength: 30 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(parts, async (given) => {
        const source = (async function* () {
          yield* given;
        })();
        const batches: number[][] = [];
        for await (const batch of batchItems(source, {
          size,
          weightMax: 60,
          weigh,
          idleMs: 1_000,
          emptyMsMax: 1_000,
        })) {
          expect(batch.length).toBeLessThanOrEqual(size);
          expect(batch.slice(0, -1).reduce((sum, each) => sum + each, 0)).toBeLessThan(60);
          batches.push(batch);
        }
        expect(batches.flat()).toEqual(given.flat());
        expect(batches.every((batch) => batch.length > 0)).toBe(true);
      }),
    );
  });

  it('yields pending items when no more arrive, and fails when none arrive at all', async () => {
    const source = (async function* () {
      yield [1, 2];
      await new Promise(() => {});
    })();
    const gathered = batchItems(source, { size, weightMax: 60, weigh, idleMs: 1, emptyMsMax: 5 });
    expect(await gathered.next()).toEqual({ done: false, value: [1, 2] });
    await expect(gathered.next()).rejects.toThrow(FirstItemTimeout);
  });
});
