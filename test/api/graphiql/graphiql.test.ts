import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { buildSchema, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/errors.js';
import { chooseEncoding } from '../../../src/http/encoding.js';
import { exampleQueries } from '../../../src/api/graphiql/graphiql-examples.js';
import { createGraphiql } from '../../../src/api/graphiql/graphiql.js';
import type { Graphiql } from '../../../src/api/graphiql/graphiql.js';

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const now = new Date('2026-11-20T12:00:00Z');
const tabs = exampleQueries(now, { workspace: 'lab', agent: 'support', search: 'care' });
const title = 'A </script><b>control</b> plane';

let server: Server;
let port: number;
let page: Answer;

beforeAll(async () => {
  server = serve(createGraphiql({ endpoint: '/graphql', tabs, title }));
  port = await listen(server);
  page = await ask('GET', '/graphql', html);
});

afterAll(() => {
  server.close();
});

describe('the page', () => {
  test('is HTML that cannot be cached or framed', () => {
    expect(page.status).toBe(200);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  test('allows only scripts of this server, and contains no inline scripts', () => {
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';");
    const scripts = [...page.text.matchAll(/<script([^>]*)>/g)].map((match) => match[1] ?? '');
    expect(scripts).toHaveLength(3);
    for (const attributes of scripts) expect(attributes).toMatch(/ src="graphql\/assets\/|type="application\/json"/);
  });

  test('names no other host', () => {
    const addresses = [...page.text.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1] ?? '');
    for (const address of addresses) expect(address).toMatch(/^graphql\/assets\/[a-z-]+\.[0-9a-f]{16}\.(js|css|svg)$/);
    const others = page.text.replaceAll('http://www.w3.org/2000/svg', '').match(/https?:\/\/|["'(]\/\//g);
    expect(others).toBeNull();
  });

  test('escapes its title', () => {
    expect(page.text).toContain('<title>A &#60;/script&#62;&#60;b&#62;control&#60;/b&#62; plane</title>');
  });

  test('opens with the example tabs, a field for an API key, and headers that are not stored', () => {
    const { options } = settingsOf(page);
    expect(options.defaultTabs).toEqual(tabs);
    expect(JSON.parse(options.headers)).toEqual({ Authorization: 'Bearer <paste an API key here>' });
    expect(options.shouldPersistHeaders).toBe(false);
  });

  test('opens with the configured headers', async () => {
    const defaultHeaders = { Authorization: 'Bearer </script>' };
    const other = serve(createGraphiql({ endpoint: '/api/graphql', tabs: [], title: 'Demo', defaultHeaders }));
    const otherPort = await listen(other);
    const answer = await ask('GET', '/api/graphql?query=%7Ba%7D', html, otherPort);
    other.close();
    expect(JSON.parse(settingsOf(answer).options.headers)).toEqual(defaultHeaders);
    expect(answer.text.match(/<\/script>/g)).toHaveLength(3);
    expect(answer.text).toContain('href="graphql/assets/');
  });

  test('answers HEAD without a body', async () => {
    const answer = await ask('HEAD', '/graphql', html);
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(answer.headers['content-length']).toBe(page.headers['content-length']);
  });

  test.each([
    ['GET', '/graphql', { accept: 'application/json' }],
    ['GET', '/graphql', {}],
    ['POST', '/graphql', html],
    ['GET', '/graphql/', html],
    ['GET', '/graphqls', html],
    ['GET', '/healthz', html],
  ])('passes %s %s with %j to other handlers', async (method, path, headers) => {
    expect((await ask(method, path, headers)).text).toBe('not GraphiQL');
  });
});

describe('the files of the page', () => {
  test.each([
    ['graphiql', 'js', 'text/javascript; charset=utf-8', 'YogaGraphiQL'],
    ['graphiql', 'css', 'text/css; charset=utf-8', '.graphiql-container'],
    ['boot', 'js', 'text/javascript; charset=utf-8', 'MonacoEnvironment'],
    ['icon', 'svg', 'image/svg+xml', '<svg '],
    ['editor-worker', 'js', 'text/javascript; charset=utf-8', 'onmessage'],
    ['json-worker', 'js', 'text/javascript; charset=utf-8', 'onmessage'],
    ['graphql-worker', 'js', 'text/javascript; charset=utf-8', 'onmessage'],
  ])(
    '%s.%s has the same content in every encoding, with an ETag for each',
    async (name, extension, mediaType, part) => {
      const path = pathOf(name, extension);
      const plain = await ask('GET', path);
      const zipped = await ask('GET', path, { 'accept-encoding': 'gzip, deflate' });
      const brotli = await ask('GET', path, { 'accept-encoding': 'gzip, deflate, br, zstd' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(zipped.headers['content-encoding']).toBe('gzip');
      expect(brotli.headers['content-encoding']).toBe('br');
      expect(plain.text).toContain(part);
      expect((await promisify(gunzip)(zipped.body)).equals(plain.body)).toBe(true);
      expect((await promisify(brotliDecompress)(brotli.body)).equals(plain.body)).toBe(true);
      expect(new Set([plain, zipped, brotli].map((answer) => answer.headers.etag)).size).toBe(3);
      for (const answer of [plain, zipped, brotli]) {
        expect(answer.status).toBe(200);
        expect(answer.headers).toMatchObject({
          'content-type': mediaType,
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': "default-src 'none'",
          vary: 'Accept-Encoding',
        });
        expect(answer.headers.etag).toMatch(/^"[^"]+"$/);
      }
    },
  );

  test('return 304 for the newest copy, also if a proxy has weakened its ETag', async () => {
    const path = pathOf('graphiql', 'css');
    const headers = { 'accept-encoding': 'br' };
    const { etag } = (await ask('GET', path, headers)).headers;
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await ask('GET', path, { ...headers, 'if-none-match': known });
      expect(answer).toMatchObject({ status: 304, text: '' });
      expect(answer.headers).toMatchObject({ etag, vary: 'Accept-Encoding' });
    }
    expect((await ask('GET', path, { ...headers, 'if-none-match': '"other"' })).status).toBe(200);
    expect((await ask('GET', path, { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(200);
  });

  test('answer HEAD without a body', async () => {
    const answer = await ask('HEAD', pathOf('boot', 'js'), { 'accept-encoding': 'br' });
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(0);
  });

  test.each(['other.js', 'graphiql.0000000000000000.js', '', '../graphiql.js', '__proto__'])(
    'return 404 as %j',
    async (fileName) => {
      expect((await ask('GET', `/graphql/assets/${fileName}`)).status).toBe(404);
    },
  );

  test('return 405 with the allowed methods for POST', async () => {
    const answer = await ask('POST', pathOf('boot', 'js'));
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
  });
});

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip'],
  ['br; q=0.000, gzip;q=0', 'identity'],
  ['*', 'br'],
  ['br;q=0, *;q=0.1', 'gzip'],
  ['zstd', 'identity'],
])('return for Accept-Encoding %j the encoding %s', (header, encoding) => {
  expect(chooseEncoding(header)).toBe(encoding);
});

const schema = buildSchema(readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8'));

test.each([
  [0, ['WhoAmI']],
  [1, ['NewestAgents']],
  [2, ['SearchAgents']],
  [3, ['OneAgent']],
  [4, ['FilteredAgents']],
  [5, ['CountedWorkspaces']],
  [6, ['Overview']],
  [7, ['Dashboard']],
  [8, ['MonthlyBill']],
  [9, ['MostExpensiveResources']],
  [10, ['CostBesideAgents']],
  [11, ['MostExpensiveAgents']],
  [12, ['UsageThrough', 'RecordUsage']],
  [13, ['WhatIsBilled', 'CreateDimension']],
  [14, ['Read', 'DryRun', 'Create', 'Update', 'Delete']],
  [15, ['Executions', 'RunJob', 'Cancel']],
  [16, ['Feed', 'Watch']],
  [17, ['PendingShares', 'Decline']],
  [18, ['Regions']],
])('example %i, %j, is valid, and has values only for variables that it declares', (index, names) => {
  const { query = '', variables = '{}' } = exampleQueries(now)[index] ?? {};
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  const operations = document.definitions.filter((definition) => definition.kind === 'OperationDefinition');
  expect(operations.map(({ name }) => name?.value)).toEqual(names);
  const declared = operations.flatMap(({ variableDefinitions = [] }) =>
    variableDefinitions.map(({ variable }) => variable.name.value),
  );
  expect(declared).toEqual(expect.arrayContaining(Object.keys(JSON.parse(variables))));
});

test('contain no other example', () => {
  expect(exampleQueries(now)).toHaveLength(19);
});

test('run no mutation until the user chooses it', () => {
  for (const { query = '' } of exampleQueries(now)) {
    const operations = parse(query).definitions.flatMap((definition) =>
      definition.kind === 'OperationDefinition' ? [definition.operation] : [],
    );
    expect(operations[0]).toBe('query');
  }
});

test('start with an example without variables, which GraphiQL would ignore', () => {
  expect(exampleQueries(now)[0]?.variables).toBeUndefined();
});

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
  text: string;
}

function serve(graphiql: Graphiql): Server {
  return createServer((incoming, response) => void answer(graphiql, incoming, response));
}

async function answer(graphiql: Graphiql, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    if (!(await graphiql.handle(incoming, response))) response.end('not GraphiQL');
  } catch (error) {
    if (error instanceof ApiError) response.writeHead(error.status, error.headers).end();
    else response.destroy();
  }
}

async function listen(listener: Server): Promise<number> {
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const address = listener.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening on a port');
  return address.port;
}

/** Node's own client: unlike `fetch`, it sends the headers as given and does not decompress. */
async function ask(method: string, path: string, headers: OutgoingHttpHeaders = {}, at = port): Promise<Answer> {
  const call = request({ host: '127.0.0.1', port: at, method, path, headers });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve).once('error', reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(Buffer.from(chunk));
  const body = Buffer.concat(chunks);
  return { status: response.statusCode ?? 0, headers: response.headers, body, text: body.toString('utf8') };
}

function pathOf(name: string, extension: string): string {
  const path = new RegExp(`graphql/assets/${name}\\.[0-9a-f]{16}\\.${extension}`).exec(page.text)?.[0];
  if (path === undefined) throw new Error(`the page does not name ${name}.${extension}`);
  return `/${path}`;
}

function settingsOf(answer: Answer) {
  return JSON.parse(/id="settings">(.*)<\/script>/.exec(answer.text)?.[1] ?? '');
}
