// Compression of responses: which encoding the client accepts, and when compression pays.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { weightedRanges } from '../input/accept.js';

/** Below one kilobyte, the headers are most of the response. */
export const compressedFromBytes = 1_024;

/**
 * Fast levels, because each response is compressed once for one client: brotli at 4 is smaller than gzip at 6, and
 * faster.
 */
const brotliQuality = 4;
const gzipLevel = 4;

export type Encoding = 'br' | 'gzip' | 'identity';

const gzipped = promisify(gzip);
const brotliCompressed = promisify(brotliCompress);

/** Compresses on the thread pool, away from the event loop. */
export function compress(body: Buffer, encoding: Exclude<Encoding, 'identity'>): Promise<Buffer> {
  if (encoding === 'gzip') return gzipped(body, { level: gzipLevel });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality,
    [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
  };
  return brotliCompressed(body, { params });
}

/**
 * Chooses an encoding from an `Accept-Encoding` header (RFC 9110, section 12.5.3). `identity` if the header is absent
 * or names none that is supported.
 */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const weights = new Map(weightedRanges(acceptEncoding).map(({ name, weight }) => [name, weight]));
  const isAccepted = (name: Encoding) => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
  if (isAccepted('br')) return 'br';
  return isAccepted('gzip') ? 'gzip' : 'identity';
}
