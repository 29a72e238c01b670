// The one reader of request bodies. What a body may be is the address's to say; that it is bounded while it is
// read, and that nothing is read of what is announced as too long, holds for all of them.
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiError, invalidRequest } from '../errors.js';

/** What an address takes. */
export interface BodyRules {
  /** Of the body as it is read: when it came compressed, of what was in it. */
  bytesMax: number;
  /** Lower case, without parameters. */
  mediaTypes: readonly string[];
  /** Whether it may come with `Content-Encoding: gzip`. */
  isGzipTaken?: boolean;
}

export interface Body {
  /** One of the rules' media types. */
  mediaType: string;
  /** UTF-8. */
  bytes: Buffer;
}

/**
 * Reads a whole body.
 *
 * @throws 415 for another media type, charset or encoding; 413 for one that is too long, by its `Content-Length`
 *   before anything is read; 400 for what is not UTF-8.
 */
export async function readBody(request: IncomingMessage, rules: BodyRules): Promise<Body> {
  const mediaType = mediaTypeOf(request, rules);
  const isCompressed = encodingOf(request, rules) === 'gzip';
  const received = await readBytes(request, rules.bytesMax);
  const bytes = isCompressed ? await unzip(received, rules.bytesMax) : received;
  if (!isUtf8(bytes)) throw invalidRequest('The body is not valid UTF-8.');
  return { mediaType, bytes };
}

/** @throws 415 */
export function encodingOf(request: IncomingMessage, { isGzipTaken = false }: BodyRules): 'gzip' | 'identity' {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return encoding;
  // The two are one: RFC 9110, section 8.4.1.3.
  if (isGzipTaken && (encoding === 'gzip' || encoding === 'x-gzip')) return 'gzip';
  throw new ApiError('unsupported_media_type', `A body with Content-Encoding ${quoted(encoding)} is not taken here.`);
}

/** The media type that a header names: lower case, without parameters. */
export function mediaTypeIn(header: string): string {
  return (header.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/** @throws 415 for another media type than those that are taken, and for another charset. */
export function mediaTypeOf(request: IncomingMessage, { mediaTypes }: BodyRules): string {
  const header = request.headers['content-type'] ?? '';
  const mediaType = mediaTypeIn(header);
  if (!mediaTypes.includes(mediaType)) {
    throw new ApiError('unsupported_media_type', `Send the body with Content-Type: ${mediaTypes.join(' or ')}.`);
  }
  const charset = /; *charset *= *"?([^";]+)/i.exec(header)?.[1]?.trim().toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw new ApiError('unsupported_media_type', 'A body is UTF-8.');
  }
  return mediaType;
}

/** By events, which cost a tenth of what reading the stream as an iterable does. */
function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax));
  // It tells of its end only once.
  if (request.destroyed) return Promise.reject(goneAway());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= bytesMax) return;
      request.off('data', onData);
      request.pause();
      reject(tooLarge(bytesMax));
    };
    // Every request closes in the end, so an error is made for those alone that close too early.
    const onClose = (): void => reject(goneAway());
    request.on('data', onData);
    request.once('end', () => {
      request.off('close', onClose);
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks));
    });
    request.once('error', reject);
    request.once('close', onClose);
  });
}

function goneAway(): Error {
  return new Error('the client went away before its body was read');
}

const gunzipAway = promisify(gunzip);

/** Off the thread that answers, and never to more than is taken. */
async function unzip(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await gunzipAway(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(bytesMax);
    throw invalidRequest('The body is not what gzip makes.');
  }
}

function tooLarge(bytesMax: number): ApiError {
  return new ApiError('payload_too_large', `A request body may have at most ${bytesMax} bytes.`);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
