// The build of the console: one page, its script in parts by view, packed for the wire.
import { readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';
import { documentProblems } from './build/documents.ts';
import { enumValues } from './build/enum-values.ts';
import { firstQueries } from './build/first-queries.ts';
import { inputShapes } from './build/input-shapes.ts';
import { possibleTypes } from './build/possible-types.ts';
import { schemaTypes } from './build/schema-types.ts';
import { trustedDocuments } from './build/trusted-documents.ts';
import { changeables } from './editing/changeables.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const schemaFile = fileURLToPath(new URL('../../../schema.graphql', import.meta.url));

/** Fails the build if a document does not match the schema. */
function checkDocuments(): Plugin {
  return {
    name: 'check-documents',
    buildStart() {
      const problems = documentProblems(here, readFileSync(schemaFile, 'utf8'));
      if (problems.length > 0) this.error(problems.join('\n'));
      writeFileSync(`${here}api/schema-types.d.ts`, schemaTypes(readFileSync(schemaFile, 'utf8')));
    },
  };
}

/** Modules that are generated from the schema. */
function tellOfSchema(): Plugin {
  const parts = new Map<string, (sdl: string) => string>([
    ['virtual:possible-types', (sdl) => `export const possibleTypes = ${JSON.stringify(possibleTypes(sdl))};`],
    ['virtual:first-queries', () => `export const firstQueries = ${JSON.stringify(firstQueries(here))};`],
    [
      'virtual:input-shapes',
      (sdl) => `export const inputShapes = ${JSON.stringify(inputShapes(sdl, Object.keys(changeables)))};`,
    ],
    [
      'virtual:change-enums',
      (sdl) =>
        `export const changeKinds = ${JSON.stringify(enumValues(sdl, 'ChangeKind'))};` +
        `export const changeActions = ${JSON.stringify(enumValues(sdl, 'ChangeAction'))};`,
    ],
  ]);
  return {
    name: 'tell-of-schema',
    resolveId: (id) => (parts.has(id) ? id : undefined),
    load: (id) => parts.get(id)?.(readFileSync(schemaFile, 'utf8')),
  };
}

/** Writes the console's documents by hash, for gateways that accept only trusted documents. */
function listDocuments(): Plugin {
  return {
    name: 'list-documents',
    async writeBundle({ dir = '' }) {
      await writeFile(join(dir, '../documents.json'), JSON.stringify(trustedDocuments(here)));
    },
  };
}

/** The cascade layers, the weakest first: a view may override its frame, and both the shared look. */
const layers = ['tokens', 'base', 'look', 'frame', 'views'] as const;

/** Puts each style sheet into the layer of its folder, so that the order in which they load does not matter. */
function layerStyles(): Plugin {
  return {
    name: 'layer-styles',
    enforce: 'pre',
    transform(code, id) {
      const path = id.split('?')[0] ?? '';
      if (!path.endsWith('.css')) return undefined;
      return { code: `@layer ${layers.join(', ')};\n@layer ${layerOf(path)} {\n${code}\n}\n`, map: null };
    },
  };
}

function layerOf(path: string): (typeof layers)[number] {
  if (!path.startsWith(here) || /look\/(tokens|typeface)\.css$/.test(path)) return 'tokens';
  if (path.endsWith('look/base.css')) return 'base';
  const [folder] = path.slice(here.length).split('/');
  return folder === 'look' || folder === 'frame' ? folder : 'views';
}

/** Preloads the modules of the first script, and its typeface, while it is still loading. */
function fetchFirstViewAhead(): Plugin {
  return {
    name: 'fetch-first-view-ahead',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((name) =>
            /\/(first|first-\w+|rolldown-runtime|inter-latin-wght-normal)-[\w-]+\.(js|css|woff2)$/.test(name),
          )
          .map((name) => ({
            tag: 'link',
            attrs: {
              ...(name.endsWith('.js')
                ? { rel: 'modulepreload' }
                : { rel: 'preload', as: name.endsWith('.css') ? 'style' : 'font' }),
              crossorigin: true,
              href: `./${name}`,
            },
            injectTo: 'head',
          })),
    },
  };
}

/** Packs scripts and styles once, here, so that the gateway never spends time on it. */
function pack(): Plugin {
  const compress = promisify(brotliCompress);
  return {
    name: 'pack',
    async writeBundle({ dir = '' }, bundle) {
      const texts = Object.values(bundle).filter(({ fileName }) => /\.(js|css)$/.test(fileName));
      await Promise.all(
        texts.map(async (file) => {
          const body = Buffer.from(file.type === 'chunk' ? file.code : file.source);
          const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
          await writeFile(join(dir, `${file.fileName}.br`), await compress(body, { params }));
        }),
      );
    },
  };
}

export default defineConfig({
  root: here,
  base: './',
  // Addresses in the page are rewritten where it is served.
  build: {
    outDir: '../../../dist/console/web',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
    // Libraries mark files for servers that render; there is none here.
    rolldownOptions: {
      checks: { moduleLevelDirective: false, pluginTimings: false, bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', test: /start\/start\.ts$/, priority: 3 },
            { name: 'first-rendering', test: /start\/rendering\.ts$/, priority: 2 },
            {
              name: 'first-client',
              test: /(web\/api\/client\.ts|node_modules\/@tanstack\/react-router\/.*)$/,
              priority: 2,
            },
            { name: 'first', test: /web\/(main|overview\/overview)\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
  plugins: [layerStyles(), checkDocuments(), tellOfSchema(), listDocuments(), fetchFirstViewAhead(), pack()],
});
