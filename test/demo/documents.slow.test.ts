// The manifests of the demo: its source, and the shared format of `apply` and `get`.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Readable } from 'node:stream';
import { parseAllDocuments } from 'yaml';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { runIfForGateway } from '../../src/cli/gateway-command-line.js';
import { demoAccounts, demoWorkspaces } from '../../src/demo/company.js';
import { demoConfiguration } from '../../src/demo/configuration.js';
import { documentsOf, usualAgentCount } from '../../src/demo/documents.js';
import { loadDemo } from '../../src/demo/load.js';
import { idOf } from '../../src/demo/random.js';
import { replaceConfiguration } from '../../src/resources/configuration/configuration-input.js';
import { createKey, createTenant, freshDatabase, frozenNow, useApp, withDatabase } from '../harness.js';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const gateway = useApp();
const folder = fileURLToPath(new URL('../../src/demo/platform', import.meta.url));
const keys = new Map<string, string>();

beforeAll(async () => {
  const { services } = gateway.app;
  await loadDemo(services.db, services.encryption, { end: frozenNow });
  for (const { name, principals } of demoAccounts) {
    const owner = { accountId: idOf(name), principalId: idOf(principals[0]?.name ?? '') };
    keys.set(name, (await createKey(gateway.app, owner)).key);
  }
});

/** The output of a command with the key of an account. */
const run = (account: string, words: string[], standardInput?: string) =>
  runWith(gateway.app.origin, keys.get(account) ?? '', words, standardInput);

async function runWith(server: string, key: string, words: string[], standardInput = ''): Promise<string> {
  const result = await runIfForGateway(words, {
    environment: { SERVER: server, KEY: key },
    folder,
    standardInput: Readable.from([standardInput]),
    pause: async () => {},
    tell: () => {},
  });
  expect(result).toMatchObject({ stderr: '', exitCode: 0 });
  return result?.stdout ?? '';
}

interface Written {
  kind: string;
  workspace?: string;
  metadata: { name: string; createdAt?: string; createdBy?: string };
  spec?: {
    runtime?: { envs?: { value: string; secret?: boolean }[] };
    requestHeaders?: Record<string, string>;
    responseHeaders?: Record<string, string>;
  };
}

/** All documents below a folder, as they are written; a secret as it is shown to others. */
function writtenIn(path: string): Written[] {
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
  const documents = files.flatMap((name) => [parseAllDocuments(readFileSync(join(path, name), 'utf8'))].flat());
  return documents.map((document) => {
    const written: Written = document.toJS();
    for (const variable of written.spec?.runtime?.envs ?? []) if (variable.secret === true) variable.value = '***';
    for (const headers of [written.spec?.requestHeaders, written.spec?.responseHeaders]) {
      for (const name of Object.keys(headers ?? {})) Object.assign(headers ?? {}, { [name]: '***' });
    }
    return written;
  });
}

const titleOf = (document: object) => JSON.stringify({ ...document, spec: undefined, metadata: undefined });
const inOrder = (documents: Written[]) =>
  documents.toSorted((one, other) =>
    `${titleOf(one)} ${one.metadata.name}`.localeCompare(`${titleOf(other)} ${other.metadata.name}`),
  );

const accounts = demoAccounts.map(({ name }) => name);

describe('The manifests of the demo', () => {
  it('create everything in empty accounts', async () => {
    const { settings, remove } = await freshDatabase();
    await withDatabase(settings, async (app) => {
      const tenants = [];
      for (const { name, workspaces } of demoAccounts)
        tenants.push({ name, tenant: await createTenant(app, { account: name, workspaces }) });
      await app.services.db.$transaction((tx) => replaceConfiguration(tx, demoConfiguration));
      for (const { name, tenant } of tenants) {
        const { key } = await createKey(app, tenant);
        const { summary } = JSON.parse(await runWith(app.origin, key, ['apply', '-f', name, '--json']));
        expect(summary.created).toBeGreaterThan(0);
        expect(JSON.parse(await runWith(app.origin, key, ['apply', '-f', name, '--json'])).summary).toMatchObject({
          created: 0,
          updated: 0,
          unchanged: writtenIn(join(folder, name)).length,
        });
      }
    });
    await remove();
  });

  it.each(accounts)('change nothing of %s when they are applied to the loaded demo', async (account) => {
    const report = JSON.parse(await run(account, ['apply', '-f', account, '--json']));
    const others = report.documents.filter(({ action }: { action: string }) => action !== 'unchanged');
    expect(others).toEqual([]);
    expect(report.summary.unchanged).toBe(writtenIn(join(folder, account)).length);
  });

  it.each(demoAccounts.flatMap(({ name, workspaces }) => workspaces.map((workspace) => [name, workspace] as const)))(
    'contain for %s in %s the output of `get all`, and nothing else',
    async (account, workspace) => {
      const printed: Written[] = JSON.parse(await run(account, ['get', 'all', '--workspace', workspace, '-o', 'json']));
      // Who created the resources of the demo, and when, is part of its history.
      for (const { kind, metadata } of printed) {
        expect({ kind, metadata }).toMatchObject({ metadata: { createdAt: expect.any(String) } });
        delete metadata.createdAt;
        delete metadata.createdBy;
      }
      expect(inOrder(printed)).toEqual(inOrder(writtenIn(join(folder, account, workspace))));
    },
  );

  it('reveal differences: a change is detected, applied and reverted', async () => {
    const [agent] = documentsOf('Agent', 'tidewater');
    if (agent === undefined) throw new Error('there is no agent');
    const { metadata, spec } = agent;
    const other = { kind: 'Agent', workspace: 'tidewater', metadata: { ...metadata, displayName: 'Other' }, spec };
    const changed = await run('tidewater-labs', ['apply', '-f', '-'], JSON.stringify(other));
    expect(changed).toContain('0 created, 1 updated, 0 unchanged');
    const back = await run('tidewater-labs', ['apply', '-f', 'tidewater-labs']);
    expect(back).toContain(`updated    Agent tidewater/${agent.name}\n    metadata.displayName: "Other" ->`);
    expect(back).toContain('0 created, 1 updated');
  });

  it('contain only documents of demo workspaces, and every kind in each workspace', () => {
    const written = accounts.flatMap((account) => writtenIn(join(folder, account)));
    const workspaces = new Set(written.map(({ workspace, metadata }) => workspace ?? metadata.name));
    expect([...workspaces].toSorted()).toEqual([...demoWorkspaces].toSorted());
    for (const workspace of demoWorkspaces) {
      for (const kind of new Set(written.map((each) => each.kind)))
        expect({ workspace, kind, has: documentsOf(kind, workspace).length > 0 }).toMatchObject({ has: true });
    }
    expect(demoWorkspaces.map(usualAgentCount)).toEqual([64, 8, 8, 8, 8]);
  });

  it('are copied to the compiled program, without removed ones', () => {
    execFileSync(process.execPath, ['build/carry.js'], { cwd: fileURLToPath(new URL('../..', import.meta.url)) });
    const carried = fileURLToPath(new URL('../../dist/demo/platform', import.meta.url));
    const all = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).toSorted();
    expect(all(carried)).toEqual(all(folder));
  });
});
