import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export interface UsageMetrics {
  /** Records received events by their outcome. */
  recorded: (outcomes: readonly string[]) => void;
  /** Records the number of events that waited when a rollup started. */
  waiting: (events: number) => void;
}

/** Metrics of usage events and their rollup. */
export function createUsageMetrics(registry: Registry): UsageMetrics {
  const registers = [registry];
  const events = new Counter({
    name: 'wcp_usage_events_total',
    help: 'Usage events received by the API, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const waiting = new Gauge({
    name: 'wcp_usage_events_waiting',
    help: 'Usage events of all accounts that are not rolled up yet, at the last check of this process.',
    registers,
  });
  return {
    recorded: (outcomes) => {
      for (const outcome of outcomes) events.inc({ outcome });
    },
    waiting: (count) => waiting.set(count),
  };
}
