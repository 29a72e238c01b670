// Starts the whole gateway on a fresh database with a frozen clock, and speaks to it over HTTP.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { createApiKey } from '../src/auth/api-key.js';
import { issueAccessToken } from '../src/auth/access-token.js';
import { readConfig } from '../src/config.js';
import type { Config } from '../src/config.js';
import type { Services } from '../src/server/services.js';
import { openDatabase } from '../src/database/open.js';
import type { OpenDatabase, OpenOptions } from '../src/database/open.js';
import { insertAgents } from '../src/demo/rows/agent-input.js';
import type { AgentInput } from '../src/demo/rows/agent-input.js';
import type { DeniedRequest } from '../src/changes/denied-requests/denied-request.js';
import type { DeniedRequests } from '../src/changes/denied-requests/denied-requests.js';
import { createGateway } from '../src/server/server.js';
import type { Gateway } from '../src/server/server.js';
import { createLog, createServices, tokenSettings } from '../src/server/create-services.js';
import { freshCluster } from './citus-cluster.js';
import { copyTemplate } from './embedded-template.js';
import { onServer } from './global-setup.js';

/** When it is, in every test, unless the test moves the clock. */
export const frozenNow = new Date('2026-11-20T12:00:00.000Z');

export interface TestApp {
  origin: string;
  services: Services;
  config: Config;
  database: OpenDatabase;
  gateway: Gateway;
  /** SQL statements since the last time that this was emptied. */
  statements: string[];
  clock: { now: Date };
}

interface AppOptions extends OpenOptions {
  /** For tests that change the schema or the planner's statistics. Other files share the database of their worker. */
  ownDatabase?: boolean;
}

/** A test app for all tests of a file, started before the first and stopped after the last. */
export function useApp(environment: Record<string, string> = {}, options: AppOptions = {}): { readonly app: TestApp } {
  let running: RunningApp | undefined;
  beforeAll(async () => {
    const isShared = Object.keys(options).length === 0 && !isSharedInUse;
    running = isShared ? await startOnShared(environment) : await startApp(environment, options);
  });
  afterAll(async () => {
    await running?.stop();
  });
  return {
    get app() {
      if (running === undefined) throw new Error('the app has not started');
      return running.app;
    },
  };
}

async function startApp(environment: Record<string, string>, options: OpenOptions): Promise<RunningApp> {
  const { settings, remove } = await freshDatabase();
  const { app, stop } = await startOn({ ...settings, ...environment }, options);
  return { app, stop: () => stop().then(remove) };
}

interface SharedDatabase {
  settings: Record<string, string>;
  database: OpenDatabase;
  /** Statements that were sent after a file had stopped its app, and the file. */
  leftBehind: string[];
  /** Sets where the statements of the next app go. */
  collect: (statements: string[]) => void;
}

/** The database of this worker. Its files use it one after another: opening one takes longer than most files take. */
let shared: Promise<SharedDatabase> | undefined;
/** The second app of a file has its own. */
let isSharedInUse = false;

async function startOnShared(environment: Record<string, string>): Promise<RunningApp> {
  isSharedInUse = true;
  shared ??= openShared();
  const { settings, database, collect, leftBehind } = await shared;
  if (leftBehind.length > 0) throw new Error(leftBehind.splice(0).join('\n'));
  const statements: string[] = [];
  collect(statements);
  const { app, stop } = await serve(configOf({ ...settings, ...environment }), database, statements);
  return {
    app,
    stop: async () => {
      await stop();
      const file = String(expect.getState().testPath);
      await untilIdle(database, file);
      await empty(database);
      database.watch(({ sql }, of) => leftBehind.push(`${file} left a statement of ${of} behind: ${sql}`));
      isSharedInUse = false;
    },
  };
}

async function openShared(): Promise<SharedDatabase> {
  const { settings } = await freshDatabase();
  let statements: string[] = [];
  const database = await openDatabase(configOf(settings), { onStatement: (sql) => statements.push(sql) });
  return { settings, database, leftBehind: [], collect: (next) => (statements = next) };
}

/** Statements that run after the app of a file has stopped would be seen by the next file. */
async function untilIdle(database: OpenDatabase, file: string): Promise<void> {
  const isIdle = () => database.shares().every(({ inUse, waiting }) => inUse === 0 && waiting === 0);
  for (const startedMs = performance.now(); !isIdle(); await sleep(10)) {
    if (performance.now() - startedMs > 10_000) throw new Error(`${file} left a statement running.`);
  }
}

/** Deletes all rows and the partitions of months. A migrated database has none, besides the rows of its migrations. */
async function empty({ db }: OpenDatabase): Promise<void> {
  await db.$executeRawUnsafe(`
    DO $$
    DECLARE item text;
    BEGIN
      FOR item IN SELECT format('%I', relname) FROM pg_class WHERE relispartition AND relname ~ '_\\d{4}_\\d{2}$' LOOP
        EXECUTE 'DROP TABLE ' || item;
      END LOOP;
      -- Without triggers and foreign keys, the order does not matter.
      SET LOCAL session_replication_role = replica;
      FOR item IN SELECT format('%I', tablename) FROM pg_tables
        WHERE schemaname = current_schema() AND tablename <> '_prisma_migrations'
      LOOP
        EXECUTE 'DELETE FROM ' || item;
      END LOOP;
      PERFORM setval(format('%I', sequencename)::regclass, 1, false) FROM pg_sequences
        WHERE schemaname = current_schema();
    END $$`);
}

/** Opens a database that is shared, one user at a time, for the duration of an action. */
export async function withDatabase<Result>(
  settings: Record<string, string>,
  act: (app: TestApp) => Promise<Result>,
): Promise<Result> {
  const { app, stop } = await startOn(settings);
  try {
    return await act(app);
  } finally {
    await stop();
  }
}

export interface RunningApp {
  app: TestApp;
  stop: () => Promise<void>;
}

export async function startOn(environment: Record<string, string>, options: OpenOptions = {}): Promise<RunningApp> {
  const config = configOf(environment);
  const statements: string[] = [];
  const database = await openDatabase(config, { ...options, onStatement: (sql) => statements.push(sql) });
  const { app, stop } = await serve(config, database, statements);
  return { app, stop: () => stop().then(database.close) };
}

/** On a busy machine, requests of tests may wait longer for their turn than a client would. */
const configOf = (environment: Record<string, string>): Config =>
  readConfig({ LOG_LEVEL: 'silent', ACCESS_LOG: 'off', REQUEST_WAIT_MS_MAX: '20000', ...environment });

async function serve(config: Config, database: OpenDatabase, statements: string[]): Promise<RunningApp> {
  const clock = { now: frozenNow };
  const services = createServices(config, database, () => clock.now, createLog(config.LOG_LEVEL));
  services.deniedRequests = sendAfterResponses(services.deniedRequests);
  const gateway = createGateway(services);
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const origin = `http://127.0.0.1:${port}`;
  return {
    app: { origin, services, config, database, gateway, statements, clock },
    stop: async () => {
      gateway.server.closeAllConnections();
      await gateway.drain(0, 0);
      await services.deniedRequests.close();
      await services.lastUses.close();
    },
  };
}

/** Denied requests are written to the change log when a test requests it, and not during other counts. */
function sendAfterResponses(deniedRequests: DeniedRequests): DeniedRequests {
  const held: DeniedRequest[] = [];
  return {
    note: (denied) => held.push(denied),
    settle: async () => {
      for (const denied of held.splice(0)) deniedRequests.note(denied);
      await deniedRequests.settle();
    },
    close: deniedRequests.close,
  };
}

/**
 * A copy of the migrated template: its settings, and how to remove it. With TEST_CITUS_URL it is a separate database on
 * that cluster.
 */
export async function freshDatabase(): Promise<{ settings: Record<string, string>; remove: () => Promise<void> }> {
  const template = inject('template');
  const cluster = process.env['TEST_CITUS_URL'];
  if (cluster !== undefined) return freshCluster(cluster);
  if ('folder' in template) {
    const folder = copyTemplate(template.folder);
    return { settings: { DATA_DIR: folder }, remove: async () => rmSync(folder, { recursive: true, force: true }) };
  }
  const name = `${template.database}_${randomUUID().replaceAll('-', '')}`;
  await onServer(template.server, `CREATE DATABASE ${name} TEMPLATE ${template.database}`);
  // The server does not die, and a test would wait for its disk at each change.
  await onServer(template.server, `ALTER DATABASE ${name} SET synchronous_commit = off`);
  const address = new URL(template.server);
  address.pathname = `/${name}`;
  return {
    settings: { DATABASE_URL: address.href, SERVICE_SECRETS: 'a secret of the tests that is long enough' },
    remove: () => onServer(template.server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

export interface Tenant {
  accountId: string;
  workspaces: Record<string, string>;
  principalId: string;
}

/** An account with one user and some workspaces, by name; the user is an admin of the account unless said otherwise. */
export async function createTenant(
  app: TestApp,
  tenant: { account: string; workspaces: string[]; role?: 'admin' | 'member' },
): Promise<Tenant> {
  const { db } = app.services;
  const account = await db.account.create({ data: { name: tenant.account, plan: 'enterprise' } });
  const principal = await db.principal.create({ data: { kind: 'user', name: `owner@${tenant.account}.example.com` } });
  await db.accountMember.create({
    data: { accountId: account.id, principalId: principal.id, role: tenant.role ?? 'admin' },
  });
  const workspaces: Record<string, string> = {};
  for (const name of tenant.workspaces) {
    const workspace = await db.workspace.create({ data: { name, accountId: account.id } });
    workspaces[name] = workspace.id;
  }
  return { accountId: account.id, workspaces, principalId: principal.id };
}

export async function createKey(
  app: TestApp,
  owner: {
    accountId: string;
    principalId: string;
    workspaceId?: string;
    expiresAt?: Date;
    scope?: string;
    addressRanges?: string[];
  },
): Promise<{ key: string; id: string }> {
  const { key, prefix, hash } = createApiKey();
  const row = await app.services.db.apiKey.create({
    data: {
      name: 'test',
      prefix,
      hash,
      principalId: owner.principalId,
      accountId: owner.accountId,
      workspaceId: owner.workspaceId ?? null,
      expiresAt: owner.expiresAt ?? null,
      scope: owner.scope ?? 'admin',
      addressRanges: owner.addressRanges ?? [],
    },
  });
  return { key, id: row.id };
}

export async function createToken(app: TestApp, owner: Tenant, scope: string): Promise<{ token: string; id: string }> {
  return issueAccessToken(app.services.db, app.services.encryption, tokenSettings(app.config), {
    principalId: owner.principalId,
    accountId: owner.accountId,
    workspaceId: null,
    scope,
    clientId: 'test',
    now: app.clock.now,
  });
}

/** A small valid agent. Fields replace the defaults. */
export function anAgent(
  name: string,
  more: { metadata?: Partial<AgentInput['metadata']> } & Partial<Omit<AgentInput, 'metadata'>> = {},
): AgentInput {
  const { metadata, ...rest } = more;
  return {
    spec: {},
    status: 'DEPLOYED',
    ...rest,
    metadata: { name, createdAt: frozenNow.toISOString(), updatedAt: frozenNow.toISOString(), ...metadata },
  };
}

export async function addAgents(app: TestApp, workspaceId: string | undefined, agents: AgentInput[]): Promise<void> {
  if (workspaceId === undefined) throw new Error('there is no such workspace');
  await insertAgents(app.services.db, app.services.encryption, workspaceId, agents);
}

export interface Answer {
  status: number;
  headers: Headers;
  // Tests inspect responses, whose type is unknown.
  body: ReturnType<typeof JSON.parse>;
}

/** One REST request; `v` is the version header. */
export async function rest(
  app: TestApp,
  path: string,
  options: { key?: string; version?: string; method?: string; headers?: Record<string, string>; json?: unknown } = {},
): Promise<Answer> {
  const response = await fetch(`${app.origin}/v0${path}`, {
    method: options.method ?? 'GET',
    ...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
    headers: {
      ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }),
      ...(options.version === undefined ? {} : { 'service-version': options.version }),
      ...options.headers,
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) };
}

/** One GraphQL request. */
export async function graphql(
  app: TestApp,
  key: string | undefined,
  query: string,
  variables: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${app.origin}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}
