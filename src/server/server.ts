import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Services } from './services.js';
import { createAddresses } from './addresses.js';
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
   * Stops in good order: not ready any more, then no new connections, then requests in flight finish.
   *
   * @param delayMs how long new requests are still served, for load balancers to notice.
   * @param graceMs how long requests in flight have after that, before they are cut.
   */
  drain: (delayMs: number, graceMs: number) => Promise<void>;
}

const limits = {
  // A client that sends its headers byte by byte is cut after ten seconds.
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  // A missing Host is refused like everything else, in JSON.
  requireHostHeader: false,
};

/** The one HTTP server of the process. It knows connections, and neither addresses nor business. */
export function createGateway(services: Services): Gateway {
  let isDraining = false;
  const staying: Check = {
    name: 'staying',
    look: () => (isDraining ? { reason: 'it is shutting down', stops: true } : undefined),
  };
  const answer = createAddresses(services, createReadiness([staying, ...services.checks]));
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
        answer(exchange).catch((error: unknown) => sendError(response, failureOf(exchange, services.log, error)));
      });
    });
  });
  // Node leaves out those past the thousandth, unseen. How long they may be together is limited already.
  server.maxHeadersCount = 0;
  // Ends connections on which nothing moves, above all those of clients that do not read what they asked for.
  server.setTimeout(services.http.stalledMsMax);
  server.on('connection', services.admission.connected);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUnhurried(socket)) return;
    answerUnreadable(error, socket, headers);
  });

  return {
    server,
    drain: async (delayMs, graceMs) => {
      isDraining = true;
      await setTimeout(delayMs);
      await Promise.all([services.changeHub.close(), services.workHub.close()]);
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
    },
  };
}
