// Resources, printed as input for `apply`.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { applyKindOf, applyKinds } from '../../src/manifests/apply-kind.js';
import { gatewayCommands } from '../../src/cli/gateway-commands.js';
import { prepareCommandLine } from '../../src/cli/run.js';
import { addAgents, anAgent, frozenNow, useApp } from '../harness.js';
import { addRegion, openShell, platformOf } from './command.js';
import type { Shell } from './command.js';

const running = useApp();
let shell: Shell;

const by = () => `owner@${shell.workspace.replace('-main', '')}.example.com`;

beforeAll(async () => {
  await addRegion(running.app, 'eu-open');
  shell = await openShell(running.app);
  await shell.done('apply -f -', platformOf(shell.workspace));
});

describe('get', () => {
  it.each(['yaml', 'json'])('all -o %s prints input for apply, and applying it changes nothing', async (form) => {
    const printed = await shell.done(`get all --workspace ${shell.workspace} -o ${form}`);
    expect(printed).not.toMatch(/s3cr3t|callbackSecret|updatedAt|publicIp/);
    const stdout = await shell.done('apply -f -', printed);
    expect(stdout).toMatch(/\n0 created, 0 updated, 8 unchanged, 0 deleted, 0 refused\.\n$/);
  });

  it.each(['yaml', 'json'])('-o %s prints texts that have a meaning in YAML as texts', async (form) => {
    const texts = [
      '<<',
      'yes',
      'off',
      'null',
      '~',
      '1',
      '1e3',
      '1:30',
      '0o7',
      '2026-01-01',
      '- a',
      'a: b',
      '# a',
      '---',
    ];
    const labels = Object.fromEntries(texts.map((text) => [text, text]));
    const envs = texts.map((value, index) => ({ name: `TEXT_${index}`, value }));
    const { workspace, done } = await openShell(running.app);
    const agent = { kind: 'Agent', workspace, metadata: { name: 'texts', labels }, spec: { runtime: { envs } } };
    await done('apply -f -', JSON.stringify(agent));
    const printed = await done(`get agent texts --workspace ${workspace} -o ${form}`);
    expect(await done('apply -f -', printed)).toContain(`unchanged  Agent ${workspace}/texts\n`);
    for (const version of ['1.1', '1.2'] as const) {
      expect(parse(printed, { version, merge: true })).toMatchObject(agent);
    }
  });

  it('prints a resource in the format of the specification', async () => {
    const [document] = parseAllDocuments(
      await shell.done(`get agent support --workspace ${shell.workspace} -o yaml`),
    ).flat();
    expect(document?.toJS()).toEqual({
      kind: 'Agent',
      workspace: shell.workspace,
      metadata: {
        name: 'support',
        displayName: 'Support',
        externalId: 'ext-1',
        labels: { app: 'shop', team: 'care' },
        createdAt: frozenNow.toISOString(),
        createdBy: by(),
      },
      spec: {
        enabled: true,
        public: false,
        region: 'eu-open',
        runtime: {
          generation: 'mk3',
          memory: 2048,
          envs: [
            { name: 'TOKEN', value: '***', secret: true },
            { name: 'MODE', value: 'fast' },
          ],
        },
        triggers: [
          {
            id: 'http-async',
            type: 'http-async',
            enabled: true,
            configuration: { callbackUrl: 'https://example.com/back', timeout: 60 },
          },
          {
            id: 'cron',
            type: 'cron',
            enabled: true,
            configuration: { schedule: '0 5 * * 1', tasks: [{ run: 'report' }] },
          },
        ],
        volumes: [{ type: 'persistent', name: 'data', mountPath: '/data' }],
      },
    });
  });

  it('prints a child resource with its parent', async () => {
    const { workspace } = shell;
    const ip = await shell.done(`get ip first --vpc net --gateway out --workspace ${workspace} -o json`);
    expect(JSON.parse(ip)).toEqual({
      kind: 'EgressIp',
      workspace,
      vpc: 'net',
      gateway: 'out',
      metadata: { name: 'first', createdAt: frozenNow.toISOString(), createdBy: by() },
      spec: { ipFamily: 'ipv4' },
    });
    const previews = await shell.done(`get previews --workspace ${workspace}`);
    expect(previews).toMatch(
      /^KIND +NAME +STATUS +DISPLAY NAME +LABELS +VERSION\nSandboxPreview +box\/web +- +- +- +1\n$/,
    );
    expect(await shell.done(`get workspaces`)).toContain('The Main One');
  });

  it('paginates a list of any length', async () => {
    const { workspaces } = shell.tenant;
    const names = Array.from({ length: 230 }, (_, index) => `bulk-${String(index).padStart(3, '0')}`);
    await addAgents(
      running.app,
      workspaces[shell.workspace],
      names.map((name) => anAgent(name)),
    );
    const printed: { metadata: { name: string } }[] = JSON.parse(
      await shell.done(`get agents --workspace ${shell.workspace} -o json`),
    );
    expect(printed.map(({ metadata }) => metadata.name)).toEqual([...names, 'support']);
  });

  it.each([
    ['agent nobody --workspace W', 'There is no Agent named "nobody" here.'],
    ['preview web --sandbox nobody --workspace W', 'There is no SandboxPreview named "web" here.'],
    ['previews --sandbox nobody --workspace W', 'There is no Sandbox W/nobody.'],
  ])('reports an unknown resource: %s', async (line, message) => {
    const said = (text: string) =>
      text.replaceAll('W', shell.workspace).replaceAll(`${shell.workspace}orkspace`, 'workspace');
    const { stderr, exitCode } = await shell.run(`get ${said(line)}`);
    expect({ stderr, exitCode }).toEqual({ stderr: `${said(message)}\n`, exitCode: 1 });
  });
});

describe('The kinds of documents', () => {
  const schema = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

  it('are all kinds with metadata that the API creates, but for accounts, which only admins of the platform create', () => {
    const made = [...schema.matchAll(/^input Create(\w+)Input \{([^}]*)^\}/gm)];
    const withMetadata = made.filter(([, , fields = '']) => /^ {2}metadata: /m.test(fields)).map(([, name]) => name);
    expect(['Account', ...applyKinds.map(({ name }) => name)].toSorted()).toEqual(withMetadata.toSorted());
  });

  it.each([
    ['Agent', 'Agent'],
    ['agents', 'Agent'],
    ['sandboxes', 'Sandbox'],
    ['previews', 'SandboxPreview'],
    ['sandbox-preview', 'SandboxPreview'],
    ['egress-ips', 'EgressIp'],
    ['ip', 'EgressIp'],
    ['gateways', 'EgressGateway'],
    ['vpcs', 'Vpc'],
    ['image', undefined],
    ['', undefined],
  ])('%j is %s', (typed, name) => {
    expect(applyKindOf(typed)?.name).toBe(name);
  });
});

describe('help', () => {
  it('lists and describes these commands with the others', async () => {
    const prepared = prepareCommandLine(['--help']);
    if (!('result' in prepared)) throw new Error('help needs no database');
    for (const { name, summary, options } of gatewayCommands) {
      expect(prepared.result.stdout).toContain(`  ${name} `);
      expect(prepared.result.stdout).toContain(summary);
      const detail = await shell.done(`${name} --help`);
      expect(detail).toMatch(new RegExp(`^Usage: ${name}\\b`));
      for (const { flag, description } of options) {
        expect(detail).toContain(`--${flag}`);
        expect(detail).toContain(description);
      }
      expect(detail).toContain('--server URL');
    }
  });
});
