import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

export interface WebhookMeasurements {
  /** Something was sent to a receiver, or could not be. */
  attempted: (attempt: { isTaken: boolean; latencyMs: number }) => void;
  /** How many webhooks this process works on is found out when it is asked. */
  watch: (working: () => number) => void;
}

const durationBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What goes out to webhooks. */
export function createWebhookMeasurements(registry: Registry): WebhookMeasurements {
  const registers = [registry];
  const attempts = new Counter({
    name: 'wcp_webhook_attempts_total',
    help: 'Attempts to send something to a webhook, by whether the receiver has taken it.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'wcp_webhook_attempt_duration_seconds',
    help: 'How long attempts took, from looking the name up to the end of the answer.',
    buckets: durationBounds,
    registers,
  });
  let working = () => 0;
  const gauge: Gauge = new Gauge({
    name: 'wcp_webhooks_working',
    help: 'Webhooks that this process sends to now.',
    registers,
    collect: () => gauge.set(working()),
  });
  return {
    attempted: ({ isTaken, latencyMs }) => {
      attempts.inc({ outcome: isTaken ? 'taken' : 'failed' });
      durations.observe(latencyMs / 1_000);
    },
    watch: (read) => {
      working = read;
    },
  };
}
