// Databases of released versions are upgraded, and keep their content. test/database/releases/record.ts records them.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { lockFolder } from '../../src/database/embedded-folder.js';
import { openEmbedded } from '../../src/database/embedded.js';
import { migrationChecksum, readMigrations } from '../../src/database/migrate.js';
import { migrationsFolder } from '../../src/database/migrator.js';
import { onServer } from '../global-setup.js';
import { secretPurpose } from '../../src/webhooks/webhook.js';
import { runCommandLine } from '../../src/cli/run.js';
import { tokenSettings } from '../../src/server/create-services.js';
import { graphql, withDatabase } from '../harness.js';
import { askAll, recording, releaseSecret } from './releases/recorded-requests.js';

const folder = fileURLToPath(new URL('releases', import.meta.url));
const ending = '.sql.gz';
const releases = readdirSync(folder)
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length));

function dumpOf(release: string): string {
  return recorded(release + ending);
}

function recorded(file: string): string {
  return gunzipSync(readFileSync(join(folder, file))).toString();
}

/** Loads a dump into an empty database. @returns the settings that open it, and how to remove it */
async function loadDump(sql: string): Promise<{ settings: Record<string, string>; remove: () => Promise<void> }> {
  const template = inject('template');
  if ('folder' in template) {
    const path = mkdtempSync(join(tmpdir(), 'control-plane-release-'));
    const locked = lockFolder(path);
    const { pglite, close } = await openEmbedded(locked.path, () => {});
    await pglite.exec(sql);
    await close();
    locked.release();
    return { settings: { DATA_DIR: path }, remove: async () => rmSync(path, { recursive: true }) };
  }
  const name = `control_plane_release_${process.pid}`;
  await onServer(template.server, `CREATE DATABASE ${name}`);
  const address = new URL(template.server);
  address.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  await client.query(sql);
  await client.end();
  return {
    settings: { DATABASE_URL: address.href },
    remove: () => onServer(template.server, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** Values that releases before the encryption of URLs and headers stored in clear. */
const clearSecrets = `
SET search_path = public;
UPDATE public.sandbox_preview SET spec = '{"requestHeaders":{"a":"mark-of-request"},"responseHeaders":{"b":"mark"}}';
UPDATE public.agent SET spec = jsonb_set(spec::jsonb, '{triggers}', '[{"id": "hook", "type": "http-async", "enabled": true,
  "configuration": {"callbackUrl": "https://hooks.example.com/mark-of-callback"}}]')::json;
INSERT INTO public.webhook (account_id, name, url, secret, created_at, updated_at, position)
  SELECT id, 'hook', 'https://hooks.example.com/mark-of-url?token=mark', '', now(), now(), 0 FROM public.account LIMIT 1;
INSERT INTO public.change (account_id, sequence, time, kind, name, verb, actor_kind, before, after)
  SELECT id, 1000000, now(), 'SANDBOX_PREVIEW', 'of-preview', 'updated', 'user',
    '{"spec": {"requestHeaders": {"a": "mark"}}}',
    '{"spec": {"port": 1, "requestHeaders": {"a": "mark", "b": "mark"}, "responseHeaders": {}}}'
  FROM public.account LIMIT 1;
INSERT INTO public.change (account_id, sequence, time, kind, name, verb, actor_kind, before, after)
  SELECT id, 1000001, now(), 'AGENT', 'of-agent', 'updated', 'user', NULL, '{"spec": {"triggers": [
    {"id": "x", "type": "http"}, {"id": "y", "configuration": {"path": "/", "callbackUrl": "https://mark.example.com/mark"}}]}}'
  FROM public.account LIMIT 1;
`;

const clearQuery = `{
  agents(workspace: "main") { nodes { spec { triggers { configuration { callbackUrl } } } } }
  sandboxes(workspace: "main") { nodes { previews { nodes { spec { requestHeaders responseHeaders } } } } }
  viewer { accounts { webhooks { nodes { url } } } } }`;

describe.each(releases)('A database of version %s', (release) => {
  it('returns the same lists, metrics and changes after an upgrade', async () => {
    const { responses, ...owner } = recording.parse(JSON.parse(recorded(`${release}.json.gz`)));
    const { settings, remove } = await loadDump(dumpOf(release));
    try {
      const after = await withDatabase({ ...settings, SERVICE_SECRETS: releaseSecret }, (app) => askAll(app, owner));
      expect(after).toMatchObject(responses);
    } finally {
      await remove();
    }
  });

  it('keeps no URL or header in clear after an upgrade and `secrets reencrypt`', async () => {
    const { responses: _, ...owner } = recording.parse(JSON.parse(recorded(`${release}.json.gz`)));
    const { settings, remove } = await loadDump(dumpOf(release) + clearSecrets);
    try {
      await withDatabase({ ...settings, SERVICE_SECRETS: releaseSecret }, async (app) => {
        const shown = async () => {
          const { body } = await graphql(app, owner.key, clearQuery);
          expect(body.errors).toBeUndefined();
          const [{ spec }] = body.data.sandboxes.nodes.flatMap(
            ({ previews }: { previews: { nodes: object[] } }) => previews.nodes,
          );
          expect(spec).toEqual({ requestHeaders: { a: '***' }, responseHeaders: { b: '***' } });
          const [account] = body.data.viewer.accounts;
          expect(account.webhooks.nodes).toEqual([{ url: 'https://hooks.example.com/mark-of-url?token=mark' }]);
          const urls = body.data.agents.nodes.flatMap(
            ({ spec: { triggers } }: { spec: { triggers: { configuration: { callbackUrl: string } }[] | null } }) =>
              (triggers ?? []).map(({ configuration }) => configuration.callbackUrl),
          );
          expect(new Set(urls)).toEqual(new Set(['https://hooks.example.com/mark-of-callback']));
        };
        await shown();
        const { services, config } = app;
        const { id } = await services.db.webhook.findFirstOrThrow();
        const secret = services.encryption.ofRow('webhook', id).encrypt(secretPurpose, 'of a webhook');
        await services.db.webhook.update({ where: { id }, data: { secret } });
        const context = { ...services, tokens: tokenSettings(config), folder: '.' };
        expect(await runCommandLine(context, ['secrets', 'reencrypt'])).toMatchObject({ exitCode: 0 });
        await shown();
        for (const table of ['agent', 'sandbox_preview', 'webhook', 'change']) {
          const rows = await services.db.$queryRawUnsafe<{ row: string }[]>(
            `SELECT row_to_json(t)::text AS "row" FROM "${table}" AS t`,
          );
          expect(rows.length).toBeGreaterThan(0);
          expect(rows.filter(({ row }) => row.includes('mark'))).toEqual([]);
        }
        const changes = await services.db.change.findMany({ where: { name: { in: ['of-preview', 'of-agent'] } } });
        expect(changes.map(({ after }) => after)).toEqual(
          expect.arrayContaining([
            { spec: { port: 1, requestHeaders: { a: '***', b: '***' }, responseHeaders: {} } },
            {
              spec: {
                triggers: [
                  { id: 'x', type: 'http' },
                  { id: 'y', configuration: { path: '/', callbackUrl: '***' } },
                ],
              },
            },
          ]),
        );
      });
    } finally {
      await remove();
    }
  });

  it('has unchanged migrations', () => {
    const released = Array.from(
      dumpOf(release).matchAll(/\('[0-9a-f-]{36}', '([0-9a-f]{64})', '[^']*', '(\w+)'/g),
      ([, checksum, name]) => ({ name, checksum }),
    );
    const present = readMigrations(migrationsFolder).map((each) => ({
      name: each.name,
      checksum: migrationChecksum(each),
    }));
    expect(released).not.toEqual([]);
    expect(present).toEqual(expect.arrayContaining(released));
  });
});
