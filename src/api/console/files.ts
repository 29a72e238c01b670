import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Encoding } from '../../http/encoding.js';
import { escapeHtml } from '../../http/html.js';

export interface ConsoleFile {
  mediaType: string;
  /** The hash of the content. */
  hash: string;
  /** Whether it may change under the same path. */
  isPage: boolean;
  body: (encoding: Encoding) => Buffer;
}

/** The output folder of the build: in dist/, also if the gateway runs from its sources. */
export const builtFolder = fileURLToPath(new URL('../../../dist/console/web/', import.meta.url));

const mediaTypes = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
  ['.woff2', 'font/woff2'],
]);

const packed = '.br';

/**
 * The files of the console by name, such as `assets/main-4f2a.js`; none if it was not built. The page contains the
 * settings and its own path, because a proxy can add a prefix.
 */
export function loadConsoleFiles(folder: string, settings: { publicUrl: string }): ReadonlyMap<string, ConsoleFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  const files = new Map<string, ConsoleFile>();
  for (const name of names) {
    if (mediaTypes.has(extname(name)))
      files.set(name, fileOf(join(folder, name), readFileSync(join(folder, name)), false));
  }
  const page = pageOf(readFileSync(join(folder, 'index.html'), 'utf8'), settings);
  return files.set('index.html', fileOf('index.html', Buffer.from(page), true));
}

/** Returns the path of the console's typeface below the public URL; undefined if the console was not built. */
export function typefacePath(folder: string, publicUrl: string): string | undefined {
  const assets = join(folder, 'assets');
  const name = existsSync(assets)
    ? readdirSync(assets).find((each) => /^inter-latin-wght.*\.woff2$/.test(each))
    : undefined;
  return name === undefined ? undefined : `${prefixOf(publicUrl)}/console/assets/${name}`;
}

function prefixOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '');
}

function pageOf(html: string, settings: { publicUrl: string }): string {
  const prefix = prefixOf(settings.publicUrl);
  const text = escapeHtml(JSON.stringify(settings));
  return html.replaceAll('"./', `"${prefix}/console/`).replace('%settings%', () => text);
}

/** Reads a file. Files that the build did not compress are compressed at the first request. */
function fileOf(name: string, plain: Buffer, isPage: boolean): ConsoleFile {
  const bodies = new Map<Encoding, Buffer>([['identity', plain]]);
  const packedName = `${name}${packed}`;
  if (!isPage && existsSync(packedName)) bodies.set('br', readFileSync(packedName));
  const make = { br: () => brotliCompressSync(plain, brotli), gzip: () => gzipSync(plain), identity: () => plain };
  return {
    mediaType: mediaTypes.get(extname(name)) ?? 'application/octet-stream',
    hash: createHash('sha256').update(plain).digest('hex').slice(0, 16),
    isPage,
    body: (encoding) => {
      const body = bodies.get(encoding) ?? make[encoding]();
      bodies.set(encoding, body);
      return body;
    },
  };
}

const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };
