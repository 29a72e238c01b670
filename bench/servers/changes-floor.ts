// The least that telling of changes costs in Node: plain http, one LISTEN, and what is notified is written to everybody who
// watches its account, as it is. No authentication, no filters, no cursors, nobody is cut.
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import pg from 'pg';

const watchers = new Map<string, Set<ServerResponse>>();

const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
await client.connect();
await client.query('LISTEN bench_change');
client.on('notification', ({ payload = '' }) => {
  const event = `event: next\ndata: ${payload.slice(37)}\n\n`;
  for (const response of watchers.get(payload.slice(0, 36)) ?? []) response.write(event);
});

createServer((request, response) => {
  if (request.method !== 'POST') return void response.end();
  const account = String(request.headers['x-account']);
  const watching = watchers.get(account) ?? new Set();
  watchers.set(account, watching.add(response));
  response.once('close', () => watching.delete(response));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}).listen(Number(process.env['PORT']), '127.0.0.1');
