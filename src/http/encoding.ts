// Compressed answers: which encoding a client takes, and when compressing pays.
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Below a kilobyte the headers are most of the answer. */
export const compressedFromBytes = 1_024;

/** What is made for one answer is compressed as fast as it goes: brotli at 4 is smaller than gzip at 6, and faster. */
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
 * The encoding to answer with, out of an `Accept-Encoding` header (RFC 9110, section 12.5.3). It is `identity`
 * when the header is absent, or names nothing that we have.
 */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', weight = ''] = part.split(';').map((piece) => piece.trim());
    weights.set(name, weight.startsWith('q=') ? Number(weight.slice(2)) : 1);
  }
  const isAccepted = (name: Encoding) => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
  if (isAccepted('br')) return 'br';
  return isAccepted('gzip') ? 'gzip' : 'identity';
}
