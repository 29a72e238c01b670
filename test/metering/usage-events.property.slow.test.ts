// Any stream, with any chunk boundaries and repeated identities: its results and sums equal a recount.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordUsageStream } from '../../src/metering/usage-stream.js';
import { useApp } from '../harness.js';
import type { PlainEvent } from '../billing/recount.js';
import { linesOf } from './usage-http.js';
import { createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import { sumsExpected, sumsOf, usageEvent } from './usage-samples.js';

const running = useApp();
let owner: Owner;

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main']);
});

/** Few identities with few contents, and some that are invalid. */
const sent = fc.record({
  id: fc.nat({ max: 60 }),
  cost: fc.constantFrom('1', '2.000000001', '0'),
  isValid: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
});

function model(counted: Map<string, PlainEvent>, events: readonly PlainEvent[]) {
  const counts = { accepted: 0, duplicate: 0, conflict: 0, invalid: 0 };
  for (const event of events) {
    const known = counted.get(event.id);
    if (event.workspace !== 'main') counts.invalid++;
    else if (known === undefined) {
      counts.accepted++;
      counted.set(event.id, event);
    } else counts[known.cost === event.cost ? 'duplicate' : 'conflict']++;
  }
  return counts;
}

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

describe('Usage in streams', () => {
  it('equals a recount', async () => {
    const counted = new Map<string, PlainEvent>();
    const streams = fc.array(sent, { minLength: 1, maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(streams, fc.integer({ min: 7, max: 900 }), async (given, size) => {
        const events = given.map(({ id, cost, isValid }) =>
          usageEvent(id, { cost, workspace: isValid ? 'main' : 'no-such' }),
        );
        const expected = model(counted, events);
        const open = () => ({
          chunks: chunksOf(Buffer.from(linesOf(events)), size),
          inTurn: <Result>(act: () => Promise<Result>) => act(),
        });
        const { counts, refused } = await recordUsageStream(owner.ctx, open);
        expect(counts).toEqual(expected);
        expect(refused).toHaveLength(expected.conflict + expected.invalid);
        expect(await sumsOf(owner.ctx, owner.accountId)).toEqual(sumsExpected(counted.values()));
      }),
      { numRuns: 25 },
    );
  });
});
