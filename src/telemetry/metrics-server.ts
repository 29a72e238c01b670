import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { Registry } from 'prom-client';

/**
 * Serves GET /metrics in the text format of Prometheus. Metrics have a port of their own, because they are for
 * operators and not for clients.
 */
export function createMeasurementsServer(registry: Registry): Server {
  return createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404, { 'content-length': 0 }).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500, { 'content-length': 0 }).end(),
    );
  });
}
