// Records each request in metrics, traces and the access log when its response is complete.
import { clientAddress } from '../auth/client-address.js';
import type { Services } from './services.js';
import { isLogged, logAccess } from '../telemetry/access-log.js';
import { traceIdOf } from '../http/exchange.js';
import type { Exchange } from '../http/exchange.js';

/** Probes are frequent and not traced. */
const probes = new Set(['/healthz', '/readyz']);

/**
 * Records a request when its response was sent or its client disconnected.
 *
 * @returns a function that runs the handler of the request within its trace.
 */
export function observe(services: Services, exchange: Exchange): (act: () => void) => void {
  const { request, response, notes, requestId, path } = exchange;
  const { headers, method = '' } = request;
  const trace = probes.has(path) ? undefined : services.traces?.request({ headers, method, requestId });
  if (trace !== undefined) response.setHeader('traceparent', trace.traceparent);
  const startedMs = performance.now();
  // The address is not available after the connection was closed.
  const connection = request.socket.remoteAddress;
  response.once('close', () => {
    const { streamsFromMs } = notes;
    const durationMs = (streamsFromMs ?? performance.now()) - startedMs;
    // nginx logs 499 for a client that disconnected before the response.
    const status = response.writableFinished || streamsFromMs !== undefined ? response.statusCode : 499;
    const { api, operation, operationName, route, account, credential, cost, error } = notes;
    const { log, metrics, clientAddressHeader, http } = services;
    metrics.served({ api, operation, status, seconds: durationMs / 1_000, plan: account?.plan ?? '', cost });
    const requested = route === undefined ? undefined : { route, path };
    trace?.end({ api, operation, requested, status, account: account?.name, cost, error });
    if (!isLogged(http.accessLog, { durationMs, status })) return;
    logAccess(log, http.accessLog.choice, {
      requestId,
      traceId: trace?.traceId ?? traceIdOf(exchange),
      method,
      api,
      operation: operationName === undefined ? operation : `${operation} ${operationName}`,
      status,
      durationMs: Math.round(durationMs * 10) / 10,
      cost,
      account: account?.name,
      credential,
      address: clientAddress(request.headers, clientAddressHeader, connection),
      error,
    });
  });
  return trace?.run ?? untraced;
}

function untraced(act: () => void): void {
  act();
}
