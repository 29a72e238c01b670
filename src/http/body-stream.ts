// Bodies of any length: what has not been worked on is not read, so that the memory that they take does not grow.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ApiError, invalidRequest } from '../errors.js';
import { encodingOf, mediaTypeOf } from './body.js';
import type { BodyRules } from './body.js';

/** Sockets whose request may take as long to arrive as it takes. */
const unhurried = new WeakSet<object>();

/** Whether a request comes in that may take long: who reads it sees to it that it goes on. */
export function isUnhurried(socket: object): boolean {
  return unhurried.has(socket);
}

/** Real data is compressed to a tenth or twentieth; a thousandth is the most that gzip can do. */
const inflationMax = 200;

/** What may come out of a few bytes before that is looked at. */
const inflationFreeBytes = 1_000_000;

/**
 * The chunks of a body, decompressed, as they are asked for.
 *
 * @throws 415 for another media type, charset or encoding. While it is read: 400 for what is not gzip, 413 for what
 *   decompresses to more than 200 times of what came.
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

/** Whoever stops reading still has a connection to answer on. */
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
  // When one of the two fails so does the other, and that is read.
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
    throw isOfGzip(error) ? invalidRequest('The body is not what gzip makes.') : (failure ?? error);
  }
}

function isOfGzip(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

function bomb(): ApiError {
  return new ApiError('payload_too_large', `A body may decompress to at most ${inflationMax} times of what is sent.`);
}
