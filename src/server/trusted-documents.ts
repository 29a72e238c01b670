// Reads the file of trusted documents: a JSON object of documents by id (as relay-compiler writes it), or a manifest of Apollo.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { ConfigError } from '../config.js';

const setting = 'GRAPHQL_TRUSTED_DOCUMENTS';

/** The build of the console lists its documents here. */
const consoleDocuments = fileURLToPath(new URL('../../dist/console/documents.json', import.meta.url));

const byId = z.record(z.string().min(1), z.string().min(1));
const manifest = z
  .object({
    format: z.literal('apollo-persisted-query-manifest'),
    operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
  })
  .transform(({ operations }) => Object.fromEntries(operations.map(({ id, body }) => [id, body])));

/**
 * The documents of the console, which are trusted as well. Empty if the console was not built.
 */
export function readConsoleDocuments(path = consoleDocuments): ReadonlyMap<string, string> {
  return existsSync(path) ? new Map(Object.entries(byId.parse(JSON.parse(readFileSync(path, 'utf8'))))) : new Map();
}

/** @throws {ConfigError} if the file cannot be read or is not valid. */
export function readTrustedDocuments(path: string | undefined): ReadonlyMap<string, string> {
  if (path === undefined) return new Map();
  const read = z.union([manifest, byId]).safeParse(parsed(path));
  if (!read.success) {
    throw new ConfigError(`${setting}: ${path} must contain a JSON object of documents by id, or a manifest of Apollo`);
  }
  return new Map(Object.entries(read.data));
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${setting}: cannot read ${path} as JSON: ${error instanceof Error ? error.message : ''}`);
  }
}
