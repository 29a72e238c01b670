// The file of trusted documents: an object of texts by id, as relay-compiler writes it, or Apollo's manifest.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../config.js';

const setting = 'GRAPHQL_TRUSTED_DOCUMENTS';

const byId = z.record(z.string().min(1), z.string().min(1));
const manifest = z
  .object({
    format: z.literal('apollo-persisted-query-manifest'),
    operations: z.array(z.object({ id: z.string().min(1), body: z.string().min(1) })),
  })
  .transform(({ operations }) => Object.fromEntries(operations.map(({ id, body }) => [id, body])));

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
