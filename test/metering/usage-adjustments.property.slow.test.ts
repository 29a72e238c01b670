// Usage that is recorded, voided, amended and rolled up in any order equals a recount, and pages of earlier responses
// keep their snapshot.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { amendUsage, voidUsage } from '../../src/metering/usage-adjustments.js';
import { rollUpUsage } from '../../src/metering/usage-rollup.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import { askMetrics, expectedBody, wordsOf } from '../billing/metrics-bodies.js';
import type { PlainEvent, PlainQuery } from '../billing/recount.js';
import { createOwner, mixedUsage } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';

const running = useApp();
let owner: Owner;

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main', 'side']);
});

/** Contents of events, each another one. */
const contents = mixedUsage(60, 'northwind', ['main', 'side']);
const identities = 30;

const step = fc.record({
  does: fc.constantFrom('record', 'void', 'amend', 'rollUp', 'ask'),
  of: fc.uniqueArray(fc.nat({ max: identities - 1 }), { minLength: 1, maxLength: 12 }),
  as: fc.nat({ max: contents.length - 1 }),
});

const asked: PlainQuery = {
  startTime: '2026-10-02T10:20:30.123456789Z',
  endTime: '2026-11-19T08:09:10.500Z',
  resolution: 'weekly',
  groupBy: ['resource_uuid', 'billing_dimension'],
  filters: {},
};

/** The voided events by hour. */
const hourly: PlainQuery = {
  ...asked,
  startTime: '2026-10-29T10:20:30Z',
  endTime: '2026-11-05T10:20:30Z',
  resolution: 'hourly',
  groupBy: ['workspace'],
};

/** The known events of all runs; undefined for voided ones. */
const known = new Map<string, { content: number; event: PlainEvent | undefined }>();
const counted = () => [...known.values()].flatMap(({ event }) => event ?? []);
const place = { account: 'northwind', reason: 'a test' };

function outcomeOf(does: 'record' | 'void' | 'amend', id: string, event: PlainEvent, content: number): string {
  const before = known.get(id);
  if (does === 'record') {
    if (before !== undefined) return before.content === content ? 'duplicate' : 'conflict';
    known.set(id, { content, event });
    return 'accepted';
  }
  if (before === undefined) return 'not_found';
  if (before.event === undefined) return 'already_voided';
  known.set(id, does === 'void' ? { ...before, event: undefined } : { content, event });
  if (does === 'void') return 'voided';
  return before.content === content ? 'unchanged' : 'amended';
}

describe('Usage that is recorded, voided, amended and rolled up in any order', () => {
  it('equals a recount, and pages keep their snapshot', async () => {
    let runs = 0;
    const steps = fc.array(step, { minLength: 6, maxLength: 14 });
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const source = `meter-${runs++}`;
        const told: { expected: string[]; said: string[] }[] = [];
        const begun: { before: PlainEvent[]; cursor: string }[] = [];
        for (const { does, of, as } of taken) {
          if (does === 'rollUp')
            await rollUpUsage(
              running.app.services.db,
              running.app.services.usageMemory,
              owner.accountId,
              owner.ctx.now(),
            );
          else if (does === 'ask') {
            const { body } = await askMetrics(running.app, owner, { ...wordsOf(asked), limit: '1' });
            if (body.meta.hasMore === true) begun.push({ before: counted(), cursor: body.meta.nextCursor });
          } else {
            const events = of.flatMap((n) => {
              const event = contents[(n + as) % contents.length];
              return event === undefined ? [] : [{ ...event, source, id: `event-${n}` }];
            });
            const ids = events.map(({ id }) => id);
            const expected = events.map((event, order) =>
              outcomeOf(does, `${source}/${event.id}`, event, ((of[order] ?? 0) + as) % contents.length),
            );
            const results =
              does === 'record'
                ? await recordUsage(owner.ctx, events)
                : does === 'void'
                  ? (await voidUsage(owner.ctx, { ...place, source, ids })).results
                  : (await amendUsage(owner.ctx, { ...place, events })).results;
            told.push({ expected, said: results.map(({ outcome }) => outcome) });
          }
        }
        expect(told.map(({ said }) => said)).toEqual(told.map(({ expected }) => expected));
        for (const query of [asked, hourly]) {
          expect((await askMetrics(running.app, owner, wordsOf(query))).body).toEqual(expectedBody(counted(), query));
        }
        for (const { before, cursor } of begun) {
          const { body } = await askMetrics(running.app, owner, { ...wordsOf(asked), cursor });
          expect(body).toEqual(expectedBody(before, asked, { from: 1, size: 100 }));
        }
      }),
      { numRuns: 25, endOnFailure: true },
    );
  });
});
