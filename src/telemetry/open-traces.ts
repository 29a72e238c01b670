import type { Logger } from 'pino';
import type { TraceSettings, Traces } from './traces.js';

/** Loads the tracing code, which is large, only if there is a collector. */
export async function openTraces(settings: TraceSettings, log: Logger): Promise<Traces | undefined> {
  const { endpoint } = settings;
  if (endpoint === undefined) return undefined;
  const { recordTraces } = await import('./recorded-traces.js');
  const { createTracing } = await import('./trace-export.js');
  return recordTraces(createTracing({ ...settings, endpoint }, log));
}
