import { z } from 'zod';
import { trimmedAddress, wholeNumber } from './setting-forms.js';

/** What an operator sees. */
export const telemetrySettings = {
  ACCESS_LOG: z
    .enum(['off', 'slow', 'failed', 'all'])
    .default('failed')
    .describe('Requests with a line in the log: none, slow and failed ones, refused ones too, or all.'),
  ACCESS_LOG_SLOW_MS: wholeNumber(1, 600_000)
    .default(1000)
    .describe('From which duration on a request, or a statement, is slow, in milliseconds.'),
  METRICS_HOST: z.string().min(1).default('127.0.0.1').describe('Address on which measurements are answered.'),
  METRICS_PORT: wholeNumber(0, 65535)
    .optional()
    .describe('Port on which Prometheus reads measurements at /metrics; none without it, 0 takes a free one.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: trimmedAddress
    .optional()
    .describe(
      'Collector of OpenTelemetry to which traces are sent, at /v1/traces below it (OTLP over HTTP); none without it.',
    ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(\d|\d?\.\d{1,9})$/, 'must be a number from 0 to 1')
    .transform(Number)
    .pipe(z.number().max(1, 'must be a number from 0 to 1'))
    .default(1)
    .describe('Share of the traces beginning here that is sent, from 0 to 1. What a caller has sampled is sent.'),
  OTEL_SERVICE_NAME: z.string().min(1).default('workload-control-plane').describe('Name of this service in traces.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .default('info')
    .describe('Least severe log line to write. Lines are JSON, on standard output.'),
};
