import { hash } from 'node:crypto';

/** 160 bits: as many as SHA-1 has, in two thirds of its time if the processor has instructions for SHA-256. */
const etagLength = 27;

/** A weak validator of a response's content, independent of its encoding (RFC 9110, section 8.8.1). */
export function etagOf(content: string | Buffer): string {
  return `W/"${hash('sha256', content, 'base64url').slice(0, etagLength)}"`;
}

/**
 * Whether the client's copy is current. If-None-Match compares weakly: a proxy may have added `W/` (RFC 9110, 13.1.2).
 */
export function isMatch(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const weak = (tag: string) => tag.trim().replace(/^W\//, '');
  const known = ifNoneMatch.split(',').map(weak);
  return known.includes(weak(etag)) || known.includes('*');
}
