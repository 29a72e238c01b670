// Usage events as they are sent over HTTP, by writers that take the next batch when theirs is done.
import { request } from 'node:http';
import type { Agent } from 'node:http';
import { withClient } from './databases.js';
import type { GivenEvent } from './ingestion-data.js';

/** The ways over HTTP: by the mutation, and by POST /v0/usage/events as an array or as lines. */
export const httpWays = ['graphql', 'json', 'ndjson'] as const;

export type HttpWay = (typeof httpWays)[number];

const query = `mutation ($input: RecordUsageInput!) { recordUsage(input: $input) { ... on RecordUsagePayload { accepted } } }`;

export function bodyOf(way: HttpWay, events: GivenEvent[]): string {
  if (way === 'json') return JSON.stringify(events);
  if (way === 'ndjson') return events.map((event) => `${JSON.stringify(event)}\n`).join('');
  return JSON.stringify({ query, variables: { input: { events } } });
}

/** A batch on its way to a gateway. */
export interface UsageRequest {
  way: HttpWay;
  origin: string;
  agent: Agent;
  key: string;
  body: string;
  events: number;
}

/** @throws what the gateway answers, unless it has taken all of the events. */
export function sendUsage({ way, origin, agent, key, body, events }: UsageRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const type = way === 'ndjson' ? 'application/x-ndjson' : 'application/json';
    const headers = { authorization: `Bearer ${key}`, 'content-type': type };
    const path = way === 'graphql' ? '/graphql' : '/v0/usage/events';
    const asking = request(`${origin}${path}`, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (new RegExp(`"accepted":${events}[,}]`).test(text)) resolve();
        else reject(new Error(`${response.statusCode}: ${text.slice(0, 1_000)}`));
      });
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

/** Events a second, of writers that take the next batch when theirs is done. */
export async function rateOf<Batch extends { length: number }>(
  batches: readonly Batch[],
  writers: number,
  act: (batch: Batch, index: number, writer: number) => Promise<unknown>,
): Promise<number> {
  let next = 0;
  let events = 0;
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let index = next++; index < batches.length; index = next++) {
        const batch = batches[index];
        if (batch === undefined) return;
        await act(batch, index, writer);
        events += batch.length;
      }
    }),
  );
  return (events * 1_000) / (performance.now() - startedMs);
}

/** Leaves the dictionary of series, and nothing else. */
export async function forgetUsage(url: string): Promise<void> {
  await withClient(url, (client) =>
    client.query('TRUNCATE usage_event, usage_batch, usage_segment, usage_point, usage_cell'),
  );
}
