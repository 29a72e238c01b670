// Looks at each request when its answer is over, for those who measure and for the access log.
import { clientAddress } from '../auth/client-address.js';
import type { Services } from './services.js';
import { isLogged, logAccess } from '../telemetry/access-log.js';
import { traceIdOf } from '../http/exchange.js';
import type { Exchange } from '../http/exchange.js';

/** They ask every few seconds, and nobody follows their way. */
const probes = new Set(['/healthz', '/readyz']);

/**
 * Measures and logs a request once its answer is sent, or its client has gone, and tells of it in a trace.
 *
 * @returns runs what answers the request, within its trace.
 */
export function observe(services: Services, exchange: Exchange): (act: () => void) => void {
  const { request, response, notes, requestId, path } = exchange;
  const { headers, method = '' } = request;
  const trace = probes.has(path) ? undefined : services.traces?.request({ headers, method, requestId });
  if (trace !== undefined) response.setHeader('traceparent', trace.traceparent);
  const startedMs = performance.now();
  // Later the connection may be gone, and with it the address.
  const connection = request.socket.remoteAddress;
  response.once('close', () => {
    const { streamsFromMs } = notes;
    const durationMs = (streamsFromMs ?? performance.now()) - startedMs;
    // 499 is what nginx logs for a client that closed the connection before the answer.
    const status = response.writableFinished || streamsFromMs !== undefined ? response.statusCode : 499;
    const { door, operation, operationName, route, account, credential, cost, error } = notes;
    const { log, measurements, clientAddressHeader, http } = services;
    measurements.served({ door, operation, status, seconds: durationMs / 1_000, plan: account?.plan ?? '', cost });
    const address = route === undefined ? undefined : { route, path };
    trace?.end({ door, operation, address, status, account: account?.name, cost, error });
    if (!isLogged(http.accessLog, { durationMs, status })) return;
    logAccess(log, http.accessLog.choice, {
      requestId,
      traceId: trace?.traceId ?? traceIdOf(exchange),
      method,
      door,
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
