// The batches that are recorded while processes are killed: the same numbers give the same events in every process.
import { createRandom } from '../../src/demo/random.js';
import type { PlainEvent } from '../billing/recount.js';
import { usageEvent } from './usage-samples.js';

export const writers = 4;

const eventsMax = 40;
const resources = 30;
const hours = 24 * 400;

/** Up to forty events, some of them twice, of any time of more than a year. */
export function batchOf(number: number): PlainEvent[] {
  const random = createRandom(`batch ${number}`);
  return Array.from({ length: 1 + random.below(eventsMax) }, () => {
    const n = random.below(resources);
    return usageEvent(n, {
      id: `${number}-${random.below(eventsMax)}`,
      resourceName: `sandbox-${n}`,
      resourceUuid: `i-${n}`,
      time: new Date(Date.UTC(2025, 9, 1) + random.below(hours) * 3_600_000).toISOString(),
      cost: `${random.below(100)}.${String(random.below(1_000_000_000)).padStart(9, '0')}`,
      usage: `${random.below(100)}.${String(random.below(1_000_000)).padStart(6, '0')}`,
    });
  });
}
