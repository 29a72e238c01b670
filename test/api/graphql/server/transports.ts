// Every transport of GraphQL operations: each must give the same answer.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { watch } from '../../../changes/event-stream.js';
import type { TestApp } from '../../../harness.js';
import { connectAssistant } from '../../mcp/assistant.js';
import type { Assistant } from '../../mcp/assistant.js';

export interface Sent {
  query: string;
  variables?: Record<string, unknown>;
  operationName?: string;
}

export interface Received {
  // Tests inspect responses, whose type is unknown.
  data: ReturnType<typeof JSON.parse>;
  errors: { message: string; path?: (string | number)[]; extensions: { code: string } }[] | undefined;
}

type Transport = (app: TestApp, key: string, sent: Sent) => Promise<Received>;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * Settings of a gateway that trusts these documents: the transport "trusted document" names them. After the tests, the
 * file is deleted and the connection of MCP closed.
 */
export function trusting(documents: readonly string[]): { GRAPHQL_TRUSTED_DOCUMENTS: string } {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await (await assistant)?.client.close();
    assistant = undefined;
  });
  const path = join(folder, 'documents.json');
  writeFileSync(path, JSON.stringify(Object.fromEntries(documents.map((text) => [sha256(text), text]))));
  return { GRAPHQL_TRUSTED_DOCUMENTS: path };
}

async function post(app: TestApp, key: string, body: object, accept = 'application/json'): Promise<Received> {
  const response = await fetch(`${app.origin}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  });
  const { data, errors } = await response.json();
  return { data, errors };
}

const persisted = (query: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(query) } });

/** Transports of queries and mutations. */
export const transports: Readonly<Record<string, Transport>> = {
  POST: post,
  // Yoga answers a request whose first media type the fast path does not know.
  'POST with several media types': (app, key, sent) => post(app, key, sent, 'multipart/mixed, application/json'),
  'persisted query': async (app, key, { query, ...rest }) => {
    // A dry run stores the document.
    await post(app, key, { query, ...rest, extensions: { ...persisted(query), dryRun: true } });
    return post(app, key, { ...rest, extensions: persisted(query) });
  },
  'trusted document': (app, key, { query, ...rest }) => post(app, key, { documentId: sha256(query), ...rest }),
};

/** Transports of queries only. */
export const queryTransports: Readonly<Record<string, Transport>> = {
  ...transports,
  GET: async (app, key, { query, variables = {}, operationName }) => {
    const named = operationName === undefined ? {} : { operationName };
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables), ...named });
    const headers = { authorization: `Bearer ${key}` };
    const { data, errors } = await (await fetch(`${app.origin}/graphql?${search}`, { headers })).json();
    return { data, errors };
  },
  'MCP graphql_query': async (app, key, sent) => {
    const { call } = await assistantOf(app, key);
    const { result, isError } = await call('graphql_query', { ...sent, maxBytes: 20_000 });
    if (isError) throw new Error(JSON.stringify(result));
    return { data: result.data, errors: result.errors };
  },
};

let assistant: Promise<Assistant> | undefined;

/** One connection for all queries of a file. */
function assistantOf(app: TestApp, key: string): Promise<Assistant> {
  return (assistant ??= connectAssistant(app, key));
}

/** The first event of a subscription, over a POST and over a GET. */
export const eventStreams: Readonly<Record<string, Transport>> = {
  'POST of an event stream': (app, key, sent) => firstEvent(app, key, sent, 'POST'),
  'GET of an event stream': (app, key, sent) => firstEvent(app, key, sent, 'GET'),
};

async function firstEvent(app: TestApp, key: string, sent: Sent, method: 'GET' | 'POST'): Promise<Received> {
  const stream = await watch(app, key, sent.query, sent.variables, method, sent.operationName);
  if (stream.response.status !== 200) throw new Error(await stream.response.text());
  const event = await stream.next();
  stream.leave();
  return { data: event?.data.data, errors: event?.data.errors };
}
