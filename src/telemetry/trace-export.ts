// Where spans go when they are over: into a queue that is bounded, and from there in batches to the collector. Nothing
// that answers a request waits for it.
import { randomUUID } from 'node:crypto';
import type { Tracer } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { TraceSettings } from './traces.js';

/** Spans beyond so many that wait are dropped: a few MB, while the collector is away. */
const waitingSpansMax = 2_048;
const batchSpansMax = 512;

/** So much of a text is told: characters. */
const textMax = 2_000;

/** Less than a process has for closing what it opened. */
const sendMsMaxByDefault = 2_000;

export interface Tracing {
  tracer: Tracer;
  close: () => Promise<void>;
}

export function createTracing(settings: TraceSettings & { endpoint: string }, log: Logger): Tracing {
  const { endpoint, ratio, serviceName, version, sendMsMax = sendMsMaxByDefault } = settings;
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: sendMsMax });
  const resource = resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
  });
  const provider = new TracerProvider({
    resource: defaultResource().merge(resource),
    // Who called us has decided already, where the request says so.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: textMax },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: telling(exporter, log),
        maxQueueSize: waitingSpansMax,
        maxExportBatchSize: batchSpansMax,
        exportTimeoutMillis: sendMsMax * 2,
      }),
    ],
  });
  return {
    tracer: provider.getTracer('workload-control-plane', version),
    // What could not be sent has been told.
    close: () => provider.shutdown().catch(() => {}),
  };
}

/** The same exporter, whose failures the log tells of. */
function telling(exporter: SpanExporter, log: Logger): SpanExporter {
  return {
    export: (spans, onResult) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED) {
          const code = 'traces_not_sent';
          log.warn({ err: result.error, code, spans: spans.length }, 'traces cannot be sent to the collector');
        }
        onResult(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}
