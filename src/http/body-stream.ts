// Streams request bodies of any length with backpressure, so that memory use is bounded.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ApiError, invalidRequest } from '../errors.js';
import { encodingOf, mediaTypeOf } from './body.js';
import type { BodyRules } from './body.js';

/** Sockets whose request has no time limit. */
const unhurried = new WeakSet<object>();

/** Whether a request may take long to arrive: its reader then checks that data keeps coming. */
export function isUnhurried(socket: object): boolean {
  return unhurried.has(socket);
}

/** Real data compresses by a factor of 10 to 20; the maximum of gzip is about 1000. */
const inflationMax = 200;

/** The decompressed size that is allowed before the factor is checked. */
const inflationFreeBytes = 1_000_000;

/**
 * The decompressed chunks of a body, read on demand.
 *
 * @throws 415 for another media type, charset or encoding. While reading: 400 for invalid gzip, 413 for data that
 * decompresses to more than 200 times its size.
 */
export function streamBody(request: IncomingMessage, rules: BodyRules): AsyncIterable<Buffer> {
  mediaTypeOf(request, rules);
  const isCompressed = encodingOf(request, rules) === 'gzip';
  hurryNot(request.socket, request);
  const received = chunksOf(request);
  return isCompressed ? unzipped(received) : received;
}

function hurryNot(socket: Socket, request: IncomingMessage): void {
  unhurried.add(socket);
  request.once('close', () => unhurried.delete(socket));
}

/** If the consumer stops early, the connection stays open for the response. */
async function* chunksOf(request: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) }) yield chunk;
}

async function* unzipped(received: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let [bytesIn, bytesOut] = [0, 0];
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of received) {
      bytesIn += chunk.length;
      yield chunk;
    }
  };
  let failure: unknown;
  // If one of the streams fails, so does the other, and the consumer gets that error.
  const content = pipeline(
    Readable.from(counted(), { highWaterMark: 1 }),
    createGunzip(),
    (error) => (failure = error),
  );
  try {
    for await (const chunk of content) {
      bytesOut += chunk.length;
      if (bytesOut > inflationFreeBytes && bytesOut > bytesIn * inflationMax) throw bomb();
      yield chunk;
    }
  } catch (error) {
    throw isOfGzip(error) ? invalidRequest('The body is not valid gzip.') : (failure ?? error);
  }
}

function isOfGzip(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

function bomb(): ApiError {
  return new ApiError(
    'payload_too_large',
    `The body is too large. It may decompress to at most ${inflationMax} times its size.`,
  );
}
