import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export interface UsageMeasurements {
  /** Events came in; what became of each. */
  recorded: (outcomes: readonly string[]) => void;
  /** So many events waited to be folded when a fold began. */
  waiting: (events: number) => void;
}

/** Usage events in, and how far the sums that answers are made of are behind. */
export function createUsageMeasurements(registry: Registry): UsageMeasurements {
  const registers = [registry];
  const events = new Counter({
    name: 'wcp_usage_events_total',
    help: 'Usage events that came in through the API, by what became of them.',
    labelNames: ['outcome'],
    registers,
  });
  const waiting = new Gauge({
    name: 'wcp_usage_events_waiting',
    help: 'Usage events of all accounts that waited to be folded when this process last looked.',
    registers,
  });
  return {
    recorded: (outcomes) => {
      for (const outcome of outcomes) events.inc({ outcome });
    },
    waiting: (count) => waiting.set(count),
  };
}
