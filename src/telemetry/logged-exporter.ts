import { ExportResultCode } from '@opentelemetry/core';
import type { ExportResult } from '@opentelemetry/core';
import type { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import type { Logger } from 'pino';

/**
 * An exporter that logs its failures.
 *
 * @param what what it sends.
 */
export function loggedExporter<Batch>(exporter: OTLPExporterBase<Batch>, what: 'traces' | 'metrics', log: Logger) {
  return {
    export: (batch: Batch, onResult: (result: ExportResult) => void) =>
      exporter.export(batch, (result) => {
        if (result.code === ExportResultCode.FAILED) {
          log.warn({ err: result.error, code: `${what}_not_sent` }, `cannot send ${what} to the collector`);
        }
        onResult(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
