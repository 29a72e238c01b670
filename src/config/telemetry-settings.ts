import { z } from 'zod';
import { nonEmpty, oneOf, trimmedUrl, wholeNumber } from './setting-forms.js';

/** Logs, metrics and traces. */
export const telemetrySettings = {
  ACCESS_LOG: oneOf('off', 'slow', 'failed', 'all')
    .default('failed')
    .describe(
      'Requests in the access log: `off`, `slow` (slow requests and 5xx), `failed` (also rejected requests) or `all`.',
    ),
  ACCESS_LOG_SLOW_MS: wholeNumber(1, 600_000)
    .default(1000)
    .describe('Minimum duration of a slow request or SQL statement in the log (ms).'),
  METRICS_HOST: nonEmpty.default('127.0.0.1').describe('Network address to serve metrics on.'),
  METRICS_PORT: wholeNumber(0, 65535)
    .optional()
    .describe('Port to serve Prometheus metrics on, at /metrics. Without it, none are served. 0 selects a free port.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: trimmedUrl
    .optional()
    .describe(
      'URL of an OpenTelemetry collector. Traces are sent to /v1/traces below it (OTLP over HTTP). Without it, none ' +
        'are sent.',
    ),
  OTEL_METRICS_EXPORTER: oneOf('none', 'otlp')
    .default('none')
    .describe('Whether to send metrics to the collector: `none`, or `otlp` (OTLP over HTTP).'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: trimmedUrl
    .optional()
    .describe('URL that metrics are sent to, with its path. Default: /v1/metrics below OTEL_EXPORTER_OTLP_ENDPOINT.'),
  OTEL_METRIC_EXPORT_INTERVAL: wholeNumber(1_000, 3_600_000)
    .default(60_000)
    .describe('Interval of sending metrics (ms).'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(\d|\d?\.\d{1,9})$/, 'must be a number from 0 to 1')
    .transform(Number)
    .pipe(z.number().max(1, 'must be a number from 0 to 1'))
    .default(1)
    .describe('Sampling ratio of root spans (0 to 1). The sampling decision of a caller is respected.'),
  OTEL_SERVICE_NAME: nonEmpty.default('workload-control-plane').describe('Name of this service in traces and metrics.'),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .default('info')
    .describe('Minimum severity of log lines: `fatal`, `error`, `warn`, `info`, `debug` or `silent`.'),
};
