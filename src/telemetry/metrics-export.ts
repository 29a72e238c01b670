// Sends the metrics of the Prometheus registry to a collector, as OTLP in JSON over HTTP. Requests never wait for it.
import { setTimeout } from 'node:timers/promises';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import { convertLegacyHttpOptions, createOtlpHttpExportDelegate } from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonMetricsSerializer, MetricsExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { loggedExporter } from './logged-exporter.js';
import { registryProducer } from './registry-producer.js';
import { serviceResource } from './service-resource.js';

/** How metrics are sent to a collector. */
export interface MetricsExportSettings {
  /** The full URL. */
  url: string;
  intervalMs: number;
  serviceName: string;
  version: string;
  /** Maximum duration of an export (ms). */
  sendMsMax?: number;
}

export interface MetricsExport {
  /** Sends the metrics a last time. Never fails, and takes at most as long as an export. */
  close: () => Promise<void>;
}

/** Less than the maximum time of a shutdown. */
const sendMsMaxByDefault = 2_000;

export function exportMetrics(settings: MetricsExportSettings, registry: Registry, log: Logger): MetricsExport {
  const { url, intervalMs, version, sendMsMax = sendMsMaxByDefault } = settings;
  const timeoutMillis = Math.min(sendMsMax, intervalMs);
  const provider = new MeterProvider({
    resource: serviceResource(settings),
    readers: [
      new PeriodicExportingMetricReader({
        exporter: loggedExporter(createExporter(url, timeoutMillis), 'metrics', log),
        exportIntervalMillis: intervalMs,
        exportTimeoutMillis: timeoutMillis,
        metricProducers: [registryProducer(registry, version)],
      }),
    ],
  });
  return {
    // Failures were logged by the exporter. An export in progress and the last one can each take the maximum time.
    close: () =>
      Promise.race([provider.shutdown().catch(() => {}), setTimeout(timeoutMillis, undefined, { ref: false })]),
  };
}

/** The exporter of the package exporter-metrics-otlp-http, which has no version that fits those of traces. */
class OtlpMetricExporter extends OTLPExporterBase<ResourceMetrics> {}

function createExporter(url: string, timeoutMillis: number): OtlpMetricExporter {
  const headers = { 'Content-Type': 'application/json' };
  const options = convertLegacyHttpOptions({ url, timeoutMillis }, 'METRICS', 'v1/metrics', headers);
  return new OtlpMetricExporter(
    createOtlpHttpExportDelegate(
      options,
      JsonMetricsSerializer,
      'otlp_http_metric_exporter',
      MetricsExporterMetricsHelper,
      undefined,
    ),
  );
}
