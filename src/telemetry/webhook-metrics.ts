import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

export interface WebhookMetrics {
  /** Records an attempt to send a delivery. */
  attempted: (attempt: { isTaken: boolean; latencyMs: number }) => void;
  /** Sets the source of the number of active webhooks. */
  watch: (working: () => number) => void;
}

const durationBounds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of webhook deliveries. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'wcp_webhook_attempts_total',
    help: 'Attempts to send a delivery, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const durations = new Histogram({
    name: 'wcp_webhook_attempt_duration_seconds',
    help: 'Duration of attempts, from the DNS lookup to the end of the response (seconds).',
    buckets: durationBounds,
    registers,
  });
  let working = () => 0;
  const gauge: Gauge = new Gauge({
    name: 'wcp_webhooks_working',
    help: 'Webhooks that this process is sending to.',
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
