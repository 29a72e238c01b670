import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Services } from './services.js';
import { createPathDispatcher } from './path-dispatcher.js';
import { sendError } from '../http/answer.js';
import { isUnhurried } from '../http/body-stream.js';
import { openExchange } from '../http/exchange.js';
import { failureOf } from '../http/failure.js';
import { observe } from './observation.js';
import { inTurn } from '../http/pipeline.js';
import { createReadiness } from '../http/readiness.js';
import type { Check } from '../http/readiness.js';
import { securityHeaders } from '../http/security-headers.js';
import { answerUnreadable } from '../http/unreadable.js';

export interface Gateway {
  server: Server;
  /**
   * Shuts down gracefully: readiness fails, then no new connections are accepted, then requests in flight finish.
   *
   * @param delayMs time in which new requests are still served, until load balancers notice (ms).
   * @param graceMs maximum time for requests in flight after that, before their connections are closed (ms).
   */
  drain: (delayMs: number, graceMs: number) => Promise<void>;
}

const limits = {
  // Disconnects clients that send their headers too slowly.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // A missing Host header is rejected by this service, with an error in JSON.
  requireHostHeader: false,
};

/** Creates the HTTP server of the process. It handles connections. createPathDispatcher() handles paths. */
export function createGateway(services: Services): Gateway {
  let isDraining = false;
  /** Requests that are answered, also those whose connection is closed. */
  const answering = new Set<Promise<void>>();
  const shutdown: Check = {
    name: 'shutdown',
    look: () => (isDraining ? { reason: 'the process is shutting down', stops: true } : undefined),
  };
  const answer = createPathDispatcher(services, createReadiness([shutdown, ...services.checks]));
  const headers = securityHeaders(services.publicUrl);
  const headerEntries = Object.entries(headers);

  const server = createServer({ ...limits, keepAliveTimeout: services.http.keepAliveMs }, (request, response) => {
    const exchange = openExchange(request, response);
    const run = observe(services, exchange);
    response.setHeader('x-request-id', exchange.requestId);
    for (const [name, value] of headerEntries) response.setHeader(name, value);
    if (isDraining) response.setHeader('connection', 'close');
    inTurn(exchange, () => {
      run(() => {
        const answered = answer(exchange)
          .catch((error: unknown) => sendError(response, failureOf(exchange, services.log, error)))
          .finally(() => answering.delete(answered));
        answering.add(answered);
      });
    });
  });
  server.on('connection', services.admission.connected);
  // Node silently drops headers after the thousandth. Their total size is limited already.
  server.maxHeadersCount = 0;
  // Closes connections without traffic, such as those of clients that do not read the response.
  server.setTimeout(services.http.stalledMsMax);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUnhurried(socket)) return;
    answerUnreadable(error, socket, headers);
  });

  return {
    server,
    drain: async (delayMs, graceMs) => {
      isDraining = true;
      await setTimeout(delayMs);
      // A database that does not respond must not keep the server from refusing connections.
      const unsubscribed = Promise.allSettled([services.changeHub.close(), services.workSubscribers.close()]);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const grace = new AbortController();
      const cut = setTimeout(graceMs, undefined, { signal: grace.signal }).then(
        () => server.closeAllConnections(),
        () => {},
      );
      await closed;
      grace.abort();
      await cut;
      await Promise.allSettled(answering);
      await unsubscribed;
    },
  };
}
