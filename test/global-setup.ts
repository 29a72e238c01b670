// One migrated database for the whole run, which every test file then copies: a folder of the embedded
// database, or, with TEST_DATABASE_URL, a template on a PostgreSQL server.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { readConfig } from '../src/config.js';
import { openDatabase } from '../src/database/open.js';
import { makeTemplate, removeTemplate } from './embedded-template.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder to copy, or the address of a server with the template. */
    template: { folder: string } | { server: string; database: string };
  }
}

const testSecret = 'a secret of the tests that is long enough';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Tests that start processes start them as they are started in production.
  const { status } = spawnSync(process.execPath, ['build/compile.js', 'with-tests'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('src/ or test/ does not compile');
  const server = process.env['TEST_DATABASE_URL'];
  return server === undefined ? setupFolder(project) : setupServer(project, server);
}

async function setupFolder(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeTemplate();
  project.provide('template', { folder });
  return async () => removeTemplate(folder);
}

async function setupServer(project: TestProject, server: string): Promise<() => Promise<void>> {
  const name = `control_plane_${process.pid}_template`;
  await onServer(server, `CREATE DATABASE ${name}`);
  const address = new URL(server);
  address.pathname = `/${name}`;
  const database = await openDatabase(readConfig({ DATABASE_URL: address.href, SERVICE_SECRETS: testSecret }));
  await database.close();
  project.provide('template', { server, database: name });
  return () => dropDatabases(server, name);
}

/** Drops the template, and the copies that were used until the end of the run. */
async function dropDatabases(server: string, name: string): Promise<void> {
  await connected(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [name],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
  });
}

/** Runs one statement on a separate connection. */
export async function onServer(server: string, statement: string): Promise<void> {
  await connected(server, (client) => client.query(statement));
}

async function connected(server: string, act: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await act(client);
  } finally {
    await client.end();
  }
}

/** Copies a folder of the embedded database. */
export function copyFolder(from: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'control-plane-test-'));
  cpSync(from, folder, { recursive: true });
  return folder;
}
