// Records a release: a dump of a small database, and the responses of this program to requests for it. The test of
// upgrades compares later versions with them. Needs a PostgreSQL server and its pg_dump:
//
//   TEST_DATABASE_URL=postgres://… npx tsx test/database/releases/record.ts
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { rollUpUsage } from '../../../src/metering/usage-rollup.js';
import { recordUsage } from '../../../src/metering/usage.js';
import { openContext } from '../../../src/http/open-context.js';
import { version } from '../../../src/server/version.js';
import { onServer } from '../../global-setup.js';
import { addAgents, anAgent, createKey, createTenant, graphql, withDatabase } from '../../harness.js';
import type { TestApp } from '../../harness.js';
import { mixedUsage } from '../../metering/usage-mixture.js';
import { addPlatform } from '../../platform.js';
import { askAll, releaseSecret } from './recorded-requests.js';
import type { Recording } from './recorded-requests.js';

const server = process.env['TEST_DATABASE_URL'];
if (server === undefined) throw new Error('Set TEST_DATABASE_URL to a PostgreSQL server.');
const database = `control_plane_release_${process.pid}`;
const address = new URL(server);
address.pathname = `/${database}`;

await onServer(server, `CREATE DATABASE ${database}`);
try {
  const settings = { DATABASE_URL: address.href, SERVICE_SECRETS: releaseSecret };
  const recording = await withDatabase(settings, async (app): Promise<Recording> => {
    const owner = await fill(app);
    return { ...owner, responses: await askAll(app, owner) };
  });
  const folder = new URL('.', import.meta.url);
  writeFileSync(new URL(`${version}.sql.gz`, folder), gzipSync(dump(address.href)));
  writeFileSync(new URL(`${version}.json.gz`, folder), gzipSync(JSON.stringify(recording)));
} finally {
  await onServer(server, `DROP DATABASE ${database} WITH (FORCE)`);
}

/** Fills the database through the program: resources, changes of them, and usage. @returns the callers */
async function fill(app: TestApp): Promise<{ accountId: string; key: string }> {
  const tenant = await createTenant(app, { account: 'northwind', workspaces: ['main'] });
  const { key } = await createKey(app, tenant);
  const workspaceId = tenant.workspaces['main'] ?? '';
  await addPlatform(app, workspaceId, 'old');
  const statuses = ['DEPLOYED', 'FAILED', 'BUILDING'] as const;
  const labels = (n: number) => ({ team: `team-${n % 4}` });
  await addAgents(
    app,
    workspaceId,
    Array.from({ length: 60 }, (_, n) =>
      anAgent(`agent-${n}`, { status: statuses[n % statuses.length] ?? 'FAILED', metadata: { labels: labels(n) } }),
    ),
  );
  await change(app, key, 'createAgent', '{ metadata: { name: "created" }, spec: { enabled: true } }');
  await change(app, key, 'createAgent', '{ metadata: { name: "deleted" } }');
  await change(app, key, 'updateAgent', '{ name: "created", metadata: { displayName: "Updated" } }');
  await change(app, key, 'deleteAgent', '{ name: "deleted" }');
  await change(
    app,
    key,
    'createBudget',
    '{ account: "northwind", name: "monthly", amount: "100", period: MONTHLY, thresholds: [{ percent: 80, measure: ACTUAL }] }',
  );
  const ctx = await openContext(app.services, { authorization: `Bearer ${key}` }, 'test');
  const events = mixedUsage(400, 'northwind', ['main']);
  await recordUsage(ctx, events.slice(0, 350));
  await rollUpUsage(app.services.db, app.services.usageMemory, tenant.accountId, app.clock.now);
  // Some usage of every database is not rolled up yet.
  await recordUsage(ctx, events.slice(350));
  return { accountId: tenant.accountId, key };
}

async function change(app: TestApp, key: string, mutation: string, input: string): Promise<void> {
  const { body } = await graphql(
    app,
    key,
    `mutation { ${mutation}(input: ${input}) { __typename ... on InvalidInputError { message } } }`,
  );
  if (!String(body.data?.[mutation]?.__typename).endsWith('Payload')) throw new Error(JSON.stringify(body));
}

/** The dump loads into an embedded database too, so nothing of this server and of psql is in it. */
function dump(url: string): string {
  const words = ['--no-owner', '--no-privileges', '--no-toast-compression', '--inserts', '--rows-per-insert=100', url];
  const { status, stdout, stderr } = spawnSync('pg_dump', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(stderr);
  return stdout.replaceAll(
    /^(?:\\(?:un)?restrict .*|--.*|SET (?:transaction_timeout|default_table_access_method) .*)\n/gm,
    '',
  );
}
