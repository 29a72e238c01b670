import { isUtf8 } from 'node:buffer';

/** The text of a file. @throws {Error} if it is not UTF-8: each invalid byte would silently become another character. */
export function utf8Text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Error('it is not UTF-8');
  return bytes.toString('utf8');
}
