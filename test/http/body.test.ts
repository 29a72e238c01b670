import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../../src/errors.js';
import { sendError, sendJson } from '../../src/http/answer.js';
import { readBody } from '../../src/http/body.js';
import { parseJson } from '../../src/input/json.js';

const rules = { bytesMax: 1_000, mediaTypes: ['application/json', 'application/x-ndjson'] };

let server: Server;
let origin: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const isGzipTaken = request.url === '/zipped';
    readBody(request, { ...rules, isGzipTaken })
      .then(({ mediaType, bytes }) => sendJson(response, 200, { mediaType, text: bytes.toString('utf8') }))
      .catch((error: unknown) => error instanceof ApiError && sendError(response, error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});

afterAll(() => server.close());

async function send(body: BodyInit, headers: Record<string, string>, path = '/') {
  const response = await fetch(`${origin}${path}`, { method: 'POST', body, headers });
  return { status: response.status, body: await response.json() };
}

const json = { 'content-type': 'application/json' };

describe('A body', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('of the media type %s is read', async (type) => {
    expect(await send('"é"', { 'content-type': type })).toEqual({
      status: 200,
      body: { mediaType: 'application/json', text: '"é"' },
    });
  });

  it.each(['text/plain', 'application/jsonx', 'application/json; charset=latin1', 'application/json, text/plain'])(
    'of the media type %s returns 415',
    async (type) => {
      expect(await send('{}', { 'content-type': type })).toMatchObject({
        status: 415,
        body: { error: 'unsupported_media_type' },
      });
    },
  );

  it('of the maximum size is read, and of one more byte returns 413', async () => {
    expect((await send('a'.repeat(1_000), json)).status).toBe(200);
    expect(await send('a'.repeat(1_001), json)).toMatchObject({ status: 413, body: { error: 'payload_too_large' } });
  });

  it('that is not UTF-8 returns 400', async () => {
    expect((await send(Buffer.from([0x22, 0xff, 0xfe, 0x22]), json)).status).toBe(400);
  });
});

describe('A compressed body', () => {
  const gzipped = { ...json, 'content-encoding': 'gzip' };

  it.each(['gzip', 'GZIP', 'x-gzip'])('is read if supported: %s', async (encoding) => {
    const headers = { ...gzipped, 'content-encoding': encoding };
    expect(await send(gzipSync('{"a":1}'), headers, '/zipped')).toMatchObject({
      status: 200,
      body: { text: '{"a":1}' },
    });
  });

  it('returns 415 otherwise, and with another compression', async () => {
    expect((await send(gzipSync('{}'), gzipped)).status).toBe(415);
    expect((await send('x', { ...json, 'content-encoding': 'br' }, '/zipped')).status).toBe(415);
    expect((await send('x', { ...json, 'content-encoding': 'gzip, gzip' }, '/zipped')).status).toBe(415);
  });

  it('that decompresses above the limit returns 413, whatever its own length', async () => {
    expect((await send(gzipSync('a'.repeat(10_000_000)).subarray(0, 900), gzipped, '/zipped')).status).toBe(413);
    expect((await send(gzipSync('a'.repeat(1_001)), gzipped, '/zipped')).status).toBe(413);
  });

  it('that is invalid or truncated gzip returns 400', async () => {
    expect((await send('not gzip', gzipped, '/zipped')).status).toBe(400);
    expect((await send(gzipSync('{"a":1}').subarray(0, 12), gzipped, '/zipped')).status).toBe(400);
  });
});

describe('parseJson', () => {
  const parse = (text: string) => parseJson(Buffer.from(text));

  it('parses like JSON.parse, including brackets and commas within strings', () => {
    const value = { a: ['[[[[,,,,', '\\"[', '{"'], b: { c: null } };
    expect(parse(JSON.stringify(value))).toEqual(value);
  });

  it('accepts bodies at the limits, and counts in each object and list', () => {
    const lists = `[[${'1,'.repeat(19_999)}1],[${'1,'.repeat(19_999)}1]]`;
    expect(parse(lists)).toHaveLength(2);
    const maps = `[{${'"a":1,'.repeat(1_999)}"a":1},{${'"a":{"b":1},'.repeat(1_999)}"a":1}]`;
    expect(parse(maps)).toHaveLength(2);
    expect(parse(`${'['.repeat(64)}${']'.repeat(64)}`)).toHaveLength(1);
  });

  it.each([
    ['nested 65 deep', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['of more than 200,000 values', `[${`[${'1,'.repeat(18_999)}1],`.repeat(11)}1]`],
    ['of 20,001 items in a list', `{"a":[${'1,'.repeat(20_000)}1]}`],
    ['of 20,001 keys in an object', `[{${'"a":1,'.repeat(20_000)}"a":1}]`],
    ['cut', '{"a":'],
    ['empty', ''],
  ])('rejects %s with 400', (_what, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ status: 400, error: 'invalid_request' }));
  });
});
