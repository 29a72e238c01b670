import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Quality 6 takes a twentieth of the time of the best, 11, for a tenth more bytes: it can run when first asked for. */
const brotliQuality = 6;

/** In order of preference: the smallest first. Each runs on the thread pool, away from the event loop. */
const encoders = {
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: brotliParametersOf(body) }),
  gzip: (body: Buffer) => promisify(gzip)(body),
  identity: (body: Buffer) => Promise.resolve(body),
} as const;

export type Encoding = keyof typeof encoders;

/** Compresses a text for an answer with this `Content-Encoding`. */
export function encode(text: string, encoding: Encoding): Promise<Buffer> {
  return encoders[encoding](Buffer.from(text));
}

/**
 * The encoding to answer with, out of an `Accept-Encoding` header (RFC 9110, section 12.5.3). It is `identity`
 * when the header is absent, or names nothing that we have.
 */
export function chooseEncoding(acceptEncoding: string | undefined): Encoding {
  const weights = new Map<string, number>();
  for (const part of (acceptEncoding ?? '').toLowerCase().split(',')) {
    const [name = '', weight = ''] = part.split(';').map((piece) => piece.trim());
    weights.set(name, weight.startsWith('q=') ? Number(weight.slice(2)) : 1);
  }
  const isAccepted = (name: Encoding) => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
  if (isAccepted('br')) return 'br';
  return isAccepted('gzip') ? 'gzip' : 'identity';
}

function brotliParametersOf(body: Buffer): Record<number, number> {
  return { [constants.BROTLI_PARAM_QUALITY]: brotliQuality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
}
