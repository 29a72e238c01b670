// Pruning against a simulated gateway.
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { applyCommand } from '../../src/cli/apply-command.js';
import type { Outcome } from '../../src/manifests/apply.js';
import { RefusedError } from '../../src/manifests/gateway-errors.js';
import type { Gateway } from '../../src/manifests/gateway.js';
import { prune } from '../../src/manifests/prune.js';

/** A gateway with labelled agents and a volume that they use, of which errors list the first 20 users. */
function gatewayWith(agents: readonly string[], users: readonly string[], deletions: string[]): Gateway {
  const listOf = (names: readonly string[]) => ({
    nodes: names.map((name) => ({ version: 1, metadata: { name }, spec: {} })),
    pageInfo: { hasNextPage: false },
  });
  return {
    query: async (document) => ({
      ...(/\{ agents\(/.test(document) ? { agents: listOf(agents) } : {}),
      ...(/\{ volumes\(/.test(document) ? { volumes: listOf(['data']) } : {}),
      ...Object.fromEntries(
        [...document.matchAll(/\{ (\w+)\(/g)].flatMap(([, field = '']) =>
          field === 'agents' || field === 'volumes' ? [] : [[field, listOf([])]],
        ),
      ),
    }),
    mutate: async (document, { input }) => {
      const { name, validateOnly } = Object(input);
      if (!document.includes('deleteVolume')) {
        if (validateOnly !== true) deletions.push(name);
        return { result: { resource: { version: 1, metadata: { name }, spec: {} } } };
      }
      const usedBy = users.slice(0, 20).map((user) => ({ kind: 'AGENT', name: user }));
      return { result: { code: 'IN_USE', message: 'in use', usedBy, usedByCount: users.length } };
    },
    pause: async () => {},
  };
}

it.each([
  [20, []],
  [21, ['refused']],
])(
  'is refused for a resource with a user that may stay, also if errors do not list it: %i users',
  async (count, refusals) => {
    const users = Array.from({ length: count }, (_, index) => `agent-${String(index).padStart(2, '0')}`);
    const deletions: string[] = [];
    const told: Outcome[] = [];
    const gateway = gatewayWith(users.slice(0, 20), users, deletions);
    await prune(gateway, {
      label: { key: 'app', value: 'shop' },
      workspaces: ['main'],
      documents: [],
      isDryRun: true,
      tell: (outcome) => told.push(outcome),
      plan: () => {},
      remark: () => {},
    });
    expect(told.map(({ action }) => action).filter((action) => action !== 'deleted')).toEqual(refusals);
    expect(deletions).toEqual([]);
  },
);

it('leaves out what is below a resource that was deleted since it was listed', async () => {
  const deletions: string[] = [];
  const others = gatewayWith(['stale'], [], deletions);
  const gateway: Gateway = {
    ...others,
    query: async (document, variables) => {
      const listed = (name: string) => ({ nodes: [{ version: 1, metadata: { name }, spec: {} }] });
      if (/\{ vpcs\(/.test(document)) return { vpcs: listed('net') };
      if (/\{ sandboxes\(/.test(document)) return { sandboxes: listed('box') };
      if (/\{ (vpc|sandbox)\(/.test(document)) return { vpc: null, sandbox: null };
      if (/\{ volumes\(/.test(document)) return { volumes: { nodes: [] } };
      return others.query(document, variables);
    },
  };
  await prune(gateway, {
    label: { key: 'app', value: 'shop' },
    workspaces: ['main'],
    documents: [],
    isDryRun: false,
    tell: () => {},
    plan: () => {},
    remark: () => {},
  });
  expect(deletions).toContain('net');
});

it.each([
  ['--dry-run --prune skips a workspace that is yet to be created', true, { exitCode: 0, stderr: '' }],
  ['--prune without access to a list still prints what was applied', false, { exitCode: 1, stderr: 'no access\n' }],
])('apply %s', async (_name, isDryRun, result) => {
  const gateway: Gateway = {
    query: async (document) => {
      if (document.includes('labels') && document.includes('$filter')) throw new RefusedError('forbidden', 'no access');
      return {};
    },
    mutate: async () => ({ result: { resource: { version: 1 } } }),
    pause: async () => {},
  };
  const session = {
    gateway,
    server: '',
    loginFile: '',
    folder: '/',
    standardInput: Readable.from(['{"kind": "Workspace", "metadata": {"name": "new"}}']),
    tell: () => {},
    pause: async () => {},
  };
  const options = new Map([
    ['file', '-'],
    ['prune', 'app=shop'],
    ['json', 'yes'],
    ...(isDryRun ? [['dry-run', 'yes'] as const] : []),
  ]);
  const given = { text: (flag: string) => options.get(flag), has: (flag: string) => options.has(flag) };
  const { stdout, ...rest } = await applyCommand.run(session, given);
  expect(rest).toEqual(result);
  expect(stdout).toContain('"created"');
  expect(() => JSON.parse(stdout)).not.toThrow();
});
