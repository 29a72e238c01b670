// Usage events over HTTP.
import { gzipSync } from 'node:zlib';
import type { Answer, TestApp } from '../harness.js';

export const ndjson = 'application/x-ndjson';

interface Sending {
  type?: string;
  headers?: Record<string, string>;
  isCompressed?: boolean;
}

/** Sends a body: text or bytes as they are, anything else as JSON. */
export async function sendUsage(app: TestApp, key: string, body: unknown, sending: Sending = {}): Promise<Answer> {
  const { type = 'application/json', headers = {}, isCompressed = false } = sending;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const response = await fetch(`${app.origin}/v0/usage/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': type,
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
      ...headers,
    },
    body: new Uint8Array(isCompressed ? gzipSync(bytes) : bytes),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

export function linesOf(events: readonly unknown[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('');
}
