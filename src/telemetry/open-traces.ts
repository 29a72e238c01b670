import type { Logger } from 'pino';
import type { TraceSettings, Traces } from './traces.js';

/** Opens what traces are recorded with: only where there is a collector, for it is large. */
export async function openTraces(settings: TraceSettings, log: Logger): Promise<Traces | undefined> {
  const { endpoint } = settings;
  if (endpoint === undefined) return undefined;
  const { recordTraces } = await import('./recorded-traces.js');
  const { createTracing } = await import('./trace-export.js');
  return recordTraces(createTracing({ ...settings, endpoint }, log));
}
