// Events of before become the history of each account, on a database that has data.
import { randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrate, readMigrations } from '../../src/database/migrate.js';
import type { MigrationConnection } from '../../src/database/migrate.js';
import { migrationsFolder } from '../../src/database/migrator.js';
import { onServer } from '../global-setup.js';

/** The first migration that knows the history. */
const first = '20261121200000';

const [account, otherAccount, workspace, otherWorkspace] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
const [agent, otherAgent, execution, gone, caller] = [
  randomUUID(),
  randomUUID(),
  randomUUID(),
  randomUUID(),
  randomUUID(),
];
const offered = randomUUID();
const nobody = '00000000-0000-0000-0000-000000000000';

const before = `
  INSERT INTO account (id, name, plan) VALUES ('${account}', 'northwind', 'free'), ('${otherAccount}', 'southwind', 'free');
  INSERT INTO workspace (id, account_id, name)
    VALUES ('${workspace}', '${account}', 'main'), ('${otherWorkspace}', '${otherAccount}', 'south');
  INSERT INTO principal (id, kind, name) VALUES ('${caller}', 'service_account', 'cleaner');
  INSERT INTO agent (id, workspace_id, name, spec, search)
    VALUES ('${agent}', '${workspace}', 'one', '{}', 'one'), ('${otherAgent}', '${otherWorkspace}', 'two', '{}', 'two');
  INSERT INTO job (id, workspace_id, name, spec, search) VALUES ('${gone}', '${workspace}', 'a-job', '{}', 'a-job');
  INSERT INTO job_execution (id, workspace_id, job_id, status, spec, stats, tasks)
    VALUES ('${execution}', '${workspace}', '${gone}', 'running', '{}', '{}', '[]');
  INSERT INTO image_share (id, workspace_id, source_account, source_workspace, resource_type, name, status, search) VALUES
    ('${offered}', '${workspace}', 'southwind', 'south', 'jobs', 'tides', 'pending', 'tides'),
    ('${randomUUID()}', '${workspace}', 'northwind', 'south', 'jobs', 'of-nobody', 'pending', 'of-nobody');
  INSERT INTO core_event (id, resource_id, time, type, status, message, revision) VALUES
    ('00000000-0000-0000-0000-00000000000b', '${agent}', '2026-01-02', 'build', 'BUILT', 'built', 'r1'),
    ('00000000-0000-0000-0000-00000000000a', '${agent}', '2026-01-02', 'upload', 'UPLOADING', 'uploaded', NULL),
    ('00000000-0000-0000-0000-00000000000c', '${agent}', '2026-01-01', 'creation', NULL, NULL, NULL),
    ('00000000-0000-0000-0000-00000000000d', '${execution}', '2026-01-03', NULL, NULL, 'runs', NULL),
    ('00000000-0000-0000-0000-00000000000e', '${otherAgent}', '2026-01-04', 'decline', 'declined', 'Declined by cleaner', NULL),
    ('00000000-0000-0000-0000-00000000000f', '${randomUUID()}', '2026-01-05', 'deletion', 'DELETED', 'Deleted by cleaner', NULL)`;

interface OldDatabase extends MigrationConnection {
  close: () => Promise<void>;
}

async function openOld(): Promise<OldDatabase> {
  const template = inject('template');
  if ('folder' in template) {
    const pglite = await PGlite.create();
    return {
      query: (sql, parameters) => pglite.query(sql, parameters),
      script: async (sql) => {
        await pglite.exec(sql);
      },
      close: () => pglite.close(),
    };
  }
  const name = `control_plane_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(template.server, `CREATE DATABASE ${name}`);
  const address = new URL(template.server);
  address.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  return {
    query: (sql, parameters) => client.query<object>(sql, parameters),
    script: async (sql) => {
      await client.query(sql);
    },
    close: async () => {
      await client.end();
      await onServer(template.server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

describe('A database of before', () => {
  let database: OldDatabase;

  // A database is made from nothing, which takes its time on a busy machine.
  beforeAll(async () => {
    database = await openOld();
    const all = readMigrations(migrationsFolder);
    const old = all.filter(({ name }) => name < first);
    await migrate(database, old);
    await database.script(before);
    await migrate(database, all);
  }, 240_000);

  afterAll(() => database.close());

  async function rows(sql: string): Promise<unknown[]> {
    const { rows: found } = await database.query(sql, []);
    return found;
  }

  it('has its offers in the workspaces that made them, where account and workspace are those of the offer', async () => {
    expect(await rows('SELECT id, workspace_id, target_workspace_id, status::text FROM offered_image_share')).toEqual([
      { id: offered, workspace_id: otherWorkspace, target_workspace_id: workspace, status: 'pending' },
    ]);
  });

  it('has its events as changes of the account, in the order of their time', async () => {
    const history = await rows(`
      SELECT sequence::int, kind, name, verb, type, status, message, revision, actor_kind FROM change
      WHERE account_id = '${account}' AND workspace_id = '${workspace}' ORDER BY sequence`);
    const agentChange = { kind: 'AGENT', name: 'one', actor_kind: 'system' };
    const build = { verb: 'status', type: 'build', status: 'BUILT', message: 'built', revision: 'r1' };
    const upload = { verb: 'status', type: 'upload', status: 'UPLOADING', message: 'uploaded', revision: null };
    const empty = { status: null, message: null, revision: null };
    const run = { kind: 'JOB_EXECUTION', name: null, actor_kind: 'system', verb: 'status', type: null };
    expect(history).toEqual([
      { sequence: 1, ...agentChange, ...empty, verb: 'created', type: 'creation' },
      { sequence: 2, ...agentChange, ...upload },
      { sequence: 3, ...agentChange, ...build },
      { sequence: 4, ...run, ...empty, message: 'runs' },
    ]);
  });

  it('knows who did what the text of an event says', async () => {
    const found = await rows(`
      SELECT verb, actor_kind, actor_id, actor_name FROM change WHERE account_id = '${otherAccount}'`);
    expect(found).toEqual([
      { verb: 'declined', actor_kind: 'service_account', actor_id: caller, actor_name: 'cleaner' },
    ]);
  });

  it('keeps the events of what nothing leads to any more, in no account', async () => {
    const found = await rows(`SELECT sequence::int, kind, verb FROM change WHERE account_id = '${nobody}'`);
    expect(found).toEqual([{ sequence: 1, kind: 'GONE', verb: 'deleted' }]);
  });

  it('goes on with the next number', async () => {
    const heads = await rows(`SELECT account_id, last::int FROM change_head`);
    expect(heads).toHaveLength(3);
    expect(heads).toEqual(
      expect.arrayContaining([
        { account_id: account, last: 4 },
        { account_id: otherAccount, last: 1 },
        { account_id: nobody, last: 1 },
      ]),
    );
  });

  it('has the first version of everything', async () => {
    expect(await rows(`SELECT version FROM agent UNION ALL SELECT version FROM workspace`)).toEqual(
      Array.from({ length: 4 }, () => ({ version: 1 })),
    );
  });

  it('keeps the history of a workspace and an account that are deleted', async () => {
    await database.script(`DELETE FROM account WHERE id = '${account}'`);
    expect(await rows(`SELECT count(*)::int AS count FROM change WHERE account_id = '${account}'`)).toEqual([
      { count: 4 },
    ]);
    expect(await rows(`SELECT count(*)::int AS count FROM agent WHERE workspace_id = '${workspace}'`)).toEqual([
      { count: 0 },
    ]);
  });
});
