// The file of trusted documents: an object of texts by id, as relay-compiler writes it, or Apollo's manifest.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigError } from '../config.js';

const setting = 'GRAPHQL_TRUSTED_DOCUMENTS';

/** Where the build of the console lists the documents that it sends. */
const consoleDocuments = fileURLToPath(new URL('../../dist/console/documents.json', import.meta.url));

const byId = z.record(z.string().min(1), z.string().min(1));
const manifest = z
  .object({
    format: z.literal('apollo-persisted-query-manifest'),
    operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
  })
  .transform(({ operations }) => Object.fromEntries(operations.map(({ id, body }) => [id, body])));

/**
 * What is trusted besides: the documents of the console that this service answers, as the build listed them; none where it
 * was not built.
 */
export function readConsoleDocuments(path = consoleDocuments): ReadonlyMap<string, string> {
  return existsSync(path) ? new Map(Object.entries(byId.parse(JSON.parse(readFileSync(path, 'utf8'))))) : new Map();
}

/** @throws {ConfigError} for a file that cannot be read, or holds something else. */
export function readTrustedDocuments(path: string | undefined): ReadonlyMap<string, string> {
  if (path === undefined) return new Map();
  const read = z.union([manifest, byId]).safeParse(parsed(path));
  if (!read.success) {
    throw new ConfigError(`${setting}: ${path} must hold an object of documents by id, or Apollo's manifest`);
  }
  return new Map(Object.entries(read.data));
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${setting}: ${path} cannot be read as JSON: ${error instanceof Error ? error.message : ''}`);
  }
}
