// The requests and the table of docs/mcp.md. After a change: npx vitest run test/api/mcp/documentation.test.ts -u
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { globalId } from '../../../src/pagination/global-id.js';
import { createKey, createTenant, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { expectResponses } from '../../page-responses.js';
import { addPlatform } from '../../platform.js';
import type { Platform } from '../../platform.js';
import { connectAssistant } from './assistant.js';

const running = useApp();
let tenant: Tenant;
let ids: Platform;
let key: string;

beforeAll(async () => {
  const { app } = running;
  tenant = await createTenant(app, {
    account: 'meridian-freight',
    workspaces: ['meridian-production', 'meridian-staging'],
  });
  ids = await addPlatform(app, tenant.workspaces['meridian-staging'] ?? '', 'one');
  ({ key } = await createKey(app, tenant));
});

/** Sends the body of a command of the page, with its headers. */
async function send(command: string): Promise<object> {
  const [, body = ''] = /-d '(.*)'/s.exec(command) ?? [];
  const headers = Array.from(command.matchAll(/-H (["'])(.*?): (.*?)\1/g), ([, , name = '', value = '']) => [
    name,
    value.replace('$KEY', key),
  ]);
  const response = await fetch(`${running.app.origin}/mcp`, {
    method: 'POST',
    headers: Object.fromEntries(headers),
    body,
  });
  return response.json();
}

const page = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
const rows = Array.from(page.matchAll(/^\| `(\w+)` .*$/gm), ([row, name = '']) => {
  const [scope = '', inputs = ''] = row.split('|').slice(3, 5);
  const named = Array.from(inputs.matchAll(/(\*\*)?`(\w+)`/g), ([, bold, input = '']) => ({ input, bold }));
  return {
    name,
    scopes: Array.from(scope.matchAll(/`(.*?)`/g), ([, text = '']) => text),
    inputs: named.map(({ input }) => input),
    required: named.flatMap(({ input, bold }) => (bold === undefined ? [] : [input])),
  };
});

let made = 0;

/** A call of each tool, and the scopes that it needs; undefined if none. */
const calls = (): Record<string, { input?: Record<string, unknown>; scopes?: string[] }> => ({
  whoami: {},
  search: { input: { text: 'one' }, scopes: ['volumes:list'] },
  list_resources: { input: { kind: 'Agent', workspace: 'meridian-staging' }, scopes: ['agents:list'] },
  get_resource: { input: { id: globalId('Sandbox', ids.Sandbox) }, scopes: ['sandboxes:get'] },
  workspace_overview: {
    input: { workspace: 'meridian-staging' },
    scopes: ['workspaces:get', 'agents:list', 'metrics:read'],
  },
  query_costs: { scopes: ['metrics:read'] },
  list_changes: { scopes: ['volumes:get'] },
  graphql_query: { input: { query: '{ viewer { name } }' } },
  apply_manifest: {
    input: {
      manifest: `kind: Agent\nworkspace: meridian-staging\nmetadata: { name: made-${made++} }\nspec: {}`,
      dryRun: false,
    },
    scopes: ['agents:create', 'agents:get', 'agents:update'],
  },
  run_job: { input: { workspace: 'meridian-staging', job: 'one-job' }, scopes: ['jobs:update'] },
  redeploy: { input: { id: globalId('Agent', ids.Agent), dryRun: true }, scopes: ['agents:update'] },
  delete_resource: { input: { id: globalId('Agent', ids.Agent), version: 1 }, scopes: ['agents:delete'] },
});

/** Calls a tool with a key that has these scopes, and one that the tool does not need. */
async function callWith(name: string, scopes: readonly string[]): Promise<string> {
  const narrow = await createKey(running.app, { ...tenant, scope: ['configurations:list', ...scopes].join(' ') });
  const { call } = await connectAssistant(running.app, narrow.key);
  return JSON.stringify((await call(name, calls()[name]?.input)).result);
}

describe('docs/mcp.md', () => {
  it('contains the response of each request', async () => {
    await expectResponses('mcp.md', /^```sh\n(curl(?:(?!```).)*)```\n\n/, send);
  });

  it('lists every tool with its inputs', async () => {
    const { client } = await connectAssistant(running.app, key);
    const { tools } = await client.listTools();
    expect(rows.map(({ name, inputs, required }) => ({ name, inputs, required }))).toEqual(
      tools.map(({ name, inputSchema: { properties = {}, required = [] } }) => ({
        name,
        inputs: Object.keys(properties),
        required,
      })),
    );
  });

  it('names the scopes that a call needs', async () => {
    for (const { name, scopes } of rows) {
      const needed = calls()[name]?.scopes ?? [];
      expect(scopes).toEqual(
        needed.map((scope) => (scopes.includes(scope) ? scope : `…:${scope.replace(/^\w+:/, '')}`)),
      );
      const result = await callWith(name, needed);
      expect({ name, result }).toEqual({
        name,
        result: expect.not.stringMatching(/forbidden|lacks the scope|refused/),
      });
    }
  });

  it.each(rows.filter(({ scopes }) => scopes.length > 0))('$name is refused without a scope', async ({ name }) => {
    const [, ...rest] = calls()[name]?.scopes ?? [];
    expect(await callWith(name, rest)).toMatch(/forbidden|lacks the scope|cannot read/);
  });
});
