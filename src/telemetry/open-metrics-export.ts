import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { MetricsExport, MetricsExportSettings } from './metrics-export.js';

/** Loads the code that sends metrics, which is large, only if they are sent. */
export async function openMetricsExport(
  settings: MetricsExportSettings | undefined,
  registry: Registry,
  log: Logger,
): Promise<MetricsExport | undefined> {
  if (settings === undefined) return undefined;
  const { exportMetrics } = await import('./metrics-export.js');
  return exportMetrics(settings, registry, log);
}
