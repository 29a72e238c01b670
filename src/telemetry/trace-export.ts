// Sends completed spans to the collector in batches, from a bounded queue. Requests never wait for it.
import type { Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { loggedExporter } from './logged-exporter.js';
import { serviceResource } from './service-resource.js';
import type { TraceSettings } from './traces.js';

/** Maximum number of waiting spans (a few MB). Further ones are dropped. */
const waitingSpansMax = 2_048;
const batchSpansMax = 512;

/** Maximum length of an attribute (characters). */
const textMax = 2_000;

/** Less than the maximum time of a shutdown. */
const sendMsMaxByDefault = 2_000;

export interface Tracing {
  tracer: Tracer;
  close: () => Promise<void>;
}

export function createTracing(settings: TraceSettings & { endpoint: string }, log: Logger): Tracing {
  const { endpoint, ratio, version, sendMsMax = sendMsMaxByDefault } = settings;
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: sendMsMax });
  const provider = new TracerProvider({
    resource: serviceResource(settings),
    // The sampling decision of the caller is respected.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: textMax },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: loggedExporter(exporter, 'traces', log),
        maxQueueSize: waitingSpansMax,
        maxExportBatchSize: batchSpansMax,
        exportTimeoutMillis: sendMsMax * 2,
      }),
    ],
  });
  return {
    tracer: provider.getTracer('workload-control-plane', version),
    // Failures were logged by the exporter.
    close: () => provider.shutdown().catch(() => {}),
  };
}
