// The layers of src/, from top to bottom. A file imports only from its own layer and from layers below it, types included.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

// prettier-ignore
const layers = [
  'control-plane.ts', 'main.ts', 'demo', 'cli', 'console', 'server', 'api/mcp', 'manifests',
  'api/console', 'api/oauth', 'api/scim', 'api/rest', 'api/graphql/server', 'api/graphiql', 'api/graphql', 'http',
  'resources', 'billing', 'metering', 'accounts', 'email', 'webhooks',
  'store', 'schema', 'lifecycle', 'changes', 'quotas', 'resource-kinds.ts', 'auth', 'pagination', 'database',
  'input', 'errors.ts', 'error-codes.ts', 'encryption.ts', 'config.ts', 'config', 'telemetry',
];

const sources = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));

const everyImport = /^(?:import|export)\s[^'";]*?'(\.[^']+)'|\bimport\((?:type )?'(\.[^']+)'\)/gm;
const loadedImport = /^(?:import|export)\s(?!type\s)[^'";]*?'(\.[^']+)'/gm;

/** The files of src/ that a file imports or exports from, by default statically or not, types included. */
function importsOf(file: string, statement = everyImport): string[] {
  const text = readFileSync(join(sources, file), 'utf8');
  const statements = text.matchAll(statement);
  return Array.from(statements, ([, from, called]) =>
    relative(sources, join(sources, dirname(file), from ?? called ?? '')),
  ).flatMap((path) =>
    files.filter((each) => each === path || each.replace(/\.tsx?$/, '') === path.replace(/\.js$/, '')),
  );
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** The position of the most specific layer of a file, or -1. */
function layerOf(file: string): number {
  const holding = layers.filter((layer) => file === layer || file.startsWith(`${layer}/`));
  return layers.indexOf(holding.toSorted((a, b) => b.length - a.length)[0] ?? '');
}

it('places every file in a layer', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((file) => layerOf(file) < 0)).toEqual([]);
});

it('imports only from the same layer and from layers below', () => {
  const all = [...imports].flatMap(([from, targets]) => targets.map((to) => ({ from, to })));
  expect(all.length).toBeGreaterThan(3_000);
  const upward = all.filter(({ from, to }) => layerOf(to) < layerOf(from));
  expect(upward.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
});

it('has no circular imports', () => {
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, trail: string[]): void => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(' -> '));
    if (done.has(file) || trail.includes(file)) return;
    for (const to of imports.get(file) ?? []) visit(to, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

it('loads no driver of the database for the commands that are clients of a gateway', () => {
  const loaded = new Set(['cli/main.ts']);
  for (const file of loaded) for (const to of importsOf(file, loadedImport)) loaded.add(to);
  expect(loaded).toContain('cli/gateway-commands.ts');
  const loadsDriver = (file: string) => /^import (?!type)[^;]*'pg'/m.test(readFileSync(join(sources, file), 'utf8'));
  expect([...loaded].filter(loadsDriver)).toEqual([]);
});

it('lets only authorization read the database from the request context', () => {
  const taking = (pattern: RegExp, within: readonly string[]) =>
    within.filter((file) => pattern.test(readFileSync(join(sources, file), 'utf8')));
  expect(taking(/\b(?:databaseOf|readsOf)\b|\bnew Authorized\w*\(/, files).toSorted()).toEqual([
    'auth/authorize.ts',
    'auth/context.ts',
  ]);
  const transports = files.filter((file) => /^api\/(?:rest|graphql|scim)\//.test(file));
  expect(transports.length).toBeGreaterThan(80);
  expect(taking(/\bdb\b/, transports)).toEqual([]);
});

it('parses what statements return with readJson() and findJson() alone', () => {
  const parsing = files.filter((file) =>
    /JSON\.parse\(\s*await [\w.()]+\.\$text\(|const (\w+) = await [\w.()]+\.\$text\([^]*?JSON\.parse\(\1\)|\$prisma\(\)\s*\)\.\$queryRaw/.test(
      readFileSync(join(sources, file), 'utf8'),
    ),
  );
  // Notifications count the characters of what they read as well.
  expect(parsing.toSorted()).toEqual(['changes/change-notifications.ts', 'database/read-json.ts']);
});
