// The result of each event in every history of an identity: recorded, amended, voided and sent again in all orders. A
// result that changed nothing says why.
import { beforeAll, describe, expect, it } from 'vitest';
import { amendUsage, voidUsage } from '../../src/metering/usage-adjustments.js';
import { recordUsage } from '../../src/metering/usage.js';
import { useApp } from '../harness.js';
import type { PlainEvent } from '../billing/recount.js';
import { createOwner } from './usage-mixture.js';
import type { Owner } from './usage-mixture.js';
import { usageEvent } from './usage-samples.js';

const running = useApp();
let owner: Owner;

beforeAll(async () => {
  owner = await createOwner(running.app, 'northwind', ['main']);
});

const steps = ['record A', 'record B', 'amend to A', 'amend to B', 'void'] as const;
type Step = (typeof steps)[number];

/** All histories of four steps. */
const histories = steps.flatMap((one) =>
  steps.flatMap((two) => steps.flatMap((three) => steps.map((four): Step[] => [one, two, three, four]))),
);

/** The expected state of an identity. */
interface Known {
  content: 'A' | 'B';
  isAmended: boolean;
  isVoided: boolean;
}

interface Told {
  outcome: string;
  message: string | undefined;
}

const told = (outcome: string, message?: string): Told => ({ outcome, message });

/** Returns the expected result of a step and the state after it. */
function expected(known: Known | undefined, step: Step): [Told, Known | undefined] {
  const content = step.endsWith('A') ? 'A' : 'B';
  if (step.startsWith('record')) {
    if (known === undefined) return [told('accepted'), { content, isAmended: false, isVoided: false }];
    if (known.content === content) {
      if (known.isVoided)
        return [told('duplicate', 'the event was recorded before and voided, so it does not count'), known];
      const message = 'the event was recorded before and counts once';
      return [told('duplicate', known.isAmended ? `${message}, with these values after an amendment` : message), known];
    }
    if (known.isVoided)
      return [told('conflict', 'the event with the same source and id has other values and was voided'), known];
    return [
      told(
        'conflict',
        known.isAmended
          ? 'the event with the same source and id was amended and counts with other values'
          : 'another event has the same source and id',
      ),
      known,
    ];
  }
  if (known === undefined) return [told('not_found', 'no event has this source and id'), known];
  if (known.isVoided) return [told('already_voided', 'the event was voided before'), known];
  if (step === 'void') return [told('voided'), { ...known, isVoided: true }];
  if (known.content === content) return [told('unchanged', 'the event already has these values'), known];
  return [told('amended'), { ...known, content, isAmended: true }];
}

const events: Record<'A' | 'B', PlainEvent> = { A: usageEvent(1), B: usageEvent(1, { cost: '7' }) };

/** Takes one step for many identities at once. */
async function take(step: Step, ids: string[]): Promise<Told[]> {
  const place = { account: 'northwind', reason: 'a test' };
  const given = ids.map((id) => ({ ...events[step.endsWith('A') ? 'A' : 'B'], id }));
  const results = step.startsWith('record')
    ? await recordUsage(owner.ctx, given)
    : step === 'void'
      ? (await voidUsage(owner.ctx, { ...place, source: 'meter', ids })).results
      : (await amendUsage(owner.ctx, { ...place, events: given })).results;
  return results.map(({ outcome, message }) => told(outcome, message));
}

describe('The result of an event', () => {
  it('says what happened, and why nothing changed, in every history of four steps', async () => {
    const known = new Map<string, Known | undefined>();
    const seen = new Set<string>();
    for (let index = 0; index < 4; index++) {
      for (const step of steps) {
        const ids = histories.filter((history) => history[index] === step).map((history) => history.join(', '));
        const found = await take(step, ids);
        const wanted = ids.map((id) => {
          const [result, after] = expected(known.get(id), step);
          known.set(id, after);
          seen.add(`${result.outcome}: ${result.message}`);
          return result;
        });
        expect(ids.map((id, order) => [id, found[order]])).toEqual(ids.map((id, order) => [id, wanted[order]]));
      }
    }
    // accepted, voided, amended; three reasons of duplicates and of conflicts; unchanged, not found, already voided.
    expect(seen.size).toBe(12);
  });

  it('says why a repetition within a request is not counted', async () => {
    const event = { ...events.A, id: 'twice' };
    expect(await recordUsage(owner.ctx, [event, event, { ...event, cost: '7' }])).toEqual([
      { outcome: 'accepted' },
      { outcome: 'duplicate', message: 'the event was recorded before and counts once' },
      { outcome: 'conflict', message: 'another event has the same source and id' },
    ]);
    const place = { account: 'northwind', reason: 'a test' };
    const ids = ['twice', 'twice'];
    expect((await voidUsage(owner.ctx, { ...place, source: 'meter', ids })).results).toEqual([
      { outcome: 'voided' },
      { outcome: 'already_voided', message: 'the event was voided before' },
    ]);
  });
});
