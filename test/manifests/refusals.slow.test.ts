// Rejected documents: invalid ones, those that the gateway rejects, and an unreachable gateway.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken, useApp } from '../harness.js';
import { addRegion, openLossyNetwork, openShell, platformOf, portOf } from './command.js';
import type { Shell } from './command.js';

const running = useApp();
let shell: Shell;

beforeAll(() => addRegion(running.app, 'eu-open'));
beforeEach(async () => {
  shell = await openShell(running.app);
});

const agent = (spec: string, more = '') =>
  `kind: Agent\nworkspace: ${shell.workspace}\n${more}metadata:\n  name: one\nspec: ${spec}\n`;

describe('A document that cannot be read', () => {
  it.each([
    ['kind: Cheese', 'line 1: kind must be one of: Workspace, Volume, Vpc'],
    ['- just\n- text', 'must be a map with kind, workspace, metadata and spec'],
    ['kind: Agent\nmetadata: { name: one }', 'workspace is required, here or as the option --workspace'],
    ['kind: Agent\nworkspace: 7\nmetadata: { name: one }', 'line 2: workspace must be a string'],
    ['kind: EgressIp\nworkspace: w\nvpc: net\nmetadata: { name: one }', 'gateway is required'],
    [
      'kind: Agent\nworkspace: w\nsandbox: box\nmetadata: { name: one }',
      'line 3: sandbox is not a field. Fields: kind,',
    ],
    ['kind: Agent\nworkspace: w\nspec: {}', 'metadata.name is required'],
    ['kind: Agent\nworkspace: w\nmetadata: [one]', 'line 3: metadata must be a map of fields, not a list'],
    ['kind: Agent\nworkspace: w\nmetadata: { name: [', 'line 3: Flow sequence'],
    ['kind: Agent\nkind: Agent', 'line 2: Map keys must be unique'],
    ['kind: &kind [*kind]', 'line 1: The alias "kind" stands within its own anchor'],
    ['{ kind: '.repeat(100_000), 'line 1: The manifest is nested too deeply. At most 64 levels are allowed.'],
    [
      Array.from({ length: 8 }, (_, level) => `k${level + 1}: &k${level + 1} [${`*k${level},`.repeat(10)}]\n`)
        .join('')
        .replaceAll('*k0', 'x'),
      'The manifest has too many values. At most 5000000 are allowed.',
    ],
  ])('%j: %s', async (document, reason) => {
    const { stdout, exitCode } = await shell.run('apply -f -', document);
    expect(stdout).toContain('refused    standard input, document 1\n    ');
    expect(stdout).toContain(reason);
    expect(exitCode).toBe(1);
  });

  it.each([
    ['{ enabeld: true }', 'spec.enabeld is not a field. Fields: enabled, policies, public,'],
    ['{ enabled: yes }', 'spec.enabled must be true or false, not the string "yes"'],
    ['{ region: 7 }', 'spec.region must be a string, in quotation marks, not the number 7'],
    ['{ policies: strict }', 'spec.policies must be a list, not the string "strict"'],
    ['{ runtime: { memory: 0.5 } }', 'spec.runtime.memory must be a whole number, not the number 0.5'],
    ['{ runtime: { memory: 3000000000 } }', 'spec.runtime.memory must be from -2147483648 to 2147483647'],
    ['{ runtime: { memory: 1e308 } }', 'spec.runtime.memory must be from -2147483648 to 2147483647'],
    [
      '{ triggers: [{ type: cron, configuration: { tasks: [null] } }] }',
      'spec.triggers.0.configuration.tasks.0 must be a map',
    ],
    ['{ runtime: { generation: mk9 } }', 'spec.runtime.generation must be one of: mk2, mk3'],
    ['{ runtime: { envs: [{ value: x }] } }', 'spec.runtime.envs.0.name is required'],
    ['{ volumes: [{ name: a, mountPath: /a }, { name: b }] }', 'spec.volumes.1.mountPath is required'],
  ])('with the spec %s: %s', async (spec, reason) => {
    const { stdout } = await shell.run('apply -f -', agent(spec));
    expect(stdout).toContain(`refused    standard input, document 1\n    line 5: ${reason}`);
  });

  it('can have a label with an unknown field', async () => {
    const labels = `metadata:\n  labels: [{ key: team, value: care, valeu: shop }]`;
    const { stdout } = await shell.run('apply -f -', agent('{}').replace('metadata:', labels));
    expect(stdout).toContain('line 4: metadata.labels.0.valeu is not a field. Fields: key, value');
  });

  it.each(['tomorrow', '2027-01-01', '0000-01-01T00:00:00Z', '2027-01-01T00:00:00+16:00'])(
    'can have a time that is none: %s',
    async (time) => {
      const preview = agent(`{ expires: '${time}' }`, 'sandbox: box\n').replace('Agent', 'SandboxPreview');
      const { stdout } = await shell.run('apply -f -', preview);
      expect(stdout).toContain('line 6: spec.expires must be an RFC 3339 time, such as 2026-04-28T00:00:00Z');
    },
  );

  it('is reported with every problem, file and path, and stops the run', async () => {
    shell.write('platform.yaml', `${agent('{}')}---\n${agent('{ x: 1, public: 2 }').replace('one', 'two')}`);
    const { stdout, exitCode } = await shell.run('apply -f platform.yaml');
    expect(stdout).toMatch(
      /^refused {4}platform\.yaml, document 2\n {4}line 11: spec\.x is not a field\. .*\n {4}line 11: spec\.public must .*\nNothing was changed\. .*\n.* 1 refused\.\n$/,
    );
    expect(exitCode).toBe(1);
    expect(await shell.done(`get agents --workspace ${shell.workspace}`)).not.toContain('one');
  });

  it('is refused if it is not UTF-8', async () => {
    const latin = Buffer.from(agent('{}').replace('name: one', 'name: one\n  displayName: Bücher'), 'latin1');
    writeFileSync(join(shell.folder, 'latin.yaml'), latin);
    expect(await shell.run('apply -f latin.yaml')).toEqual({
      stdout: '',
      stderr: 'latin.yaml: it is not UTF-8\n',
      exitCode: 2,
    });
    const piped = await shell.run('apply -f -', '', { standardInput: Readable.from([latin]) });
    expect(piped).toEqual({ stdout: '', stderr: 'standard input: it is not UTF-8\n', exitCode: 2 });
    expect(await shell.done(`get agents --workspace ${shell.workspace}`)).not.toContain('one');
  });

  it('is rejected if repeated', async () => {
    shell.write('a.yaml', agent('{}'));
    const { stdout } = await shell.run('apply -f -', `${agent('{}')}---\n${agent('{ enabled: false }')}`);
    expect(stdout).toContain(
      `standard input, document 2\n    Agent ${shell.workspace}/one is already in standard input, document 1`,
    );
  });

  it('can be an API response: read-only fields are ignored', async () => {
    const answer = agent('{ region: eu-open }', 'status: DEPLOYED\nevents: []\n');
    const full = answer.replace('  name: one', '  name: one\n  plan: pro\n  createdAt: 2026-01-01T00:00:00.000Z');
    expect(await shell.done('apply -f -', full)).toContain('1 created');
  });
});

describe('A change that the gateway rejects', () => {
  it('is reported with all validation errors, and does not stop other documents', async () => {
    const bad = agent('{ public: true, region: nowhere, runtime: { minScale: 2, maxScale: 1 } }');
    const { stdout, exitCode } = await shell.run('apply -f -', `${bad}---\n${agent('{}').replace('one', 'two')}`);
    expect(stdout).toMatch(
      new RegExp(
        `^refused {4}Agent ${shell.workspace}/one \\(standard input, document 1\\)\n( {4}spec\\.\\S+ .*\n){3}created {4}Agent ${shell.workspace}/two\n1 created, .* 1 refused\\.\n$`,
      ),
    );
    for (const field of ['public', 'runtime.minScale', 'region']) expect(stdout).toContain(`    spec.${field} `);
    expect(exitCode).toBe(1);
  });

  it.each(['{ good: x, bad: LONG }', '[{ key: good, value: x }, { key: bad, value: LONG }]'])(
    'names a label by its key: %s',
    async (labels) => {
      const given = labels.replace('LONG', 'x'.repeat(256));
      const { stdout } = await shell.run(
        'apply -f -',
        agent('{}').replace('metadata:', `metadata:\n  labels: ${given}`),
      );
      expect(stdout).toContain('\n    metadata.labels.bad must be at most 255 characters\n');
    },
  );

  it('can concern an immutable field', async () => {
    await shell.done('apply -f -', platformOf(shell.workspace));
    const volume = `kind: Volume\nworkspace: ${shell.workspace}\nmetadata: { name: data }\nspec: { region: eu-far, sizeMb: 1 }`;
    const { stdout } = await shell.run('apply -f -', volume);
    expect(stdout).toContain('    spec.region is immutable (currently "eu-open")\n');
  });

  it('can lack a permission', async () => {
    const { token } = await createToken(running.app, shell.tenant, 'agents:get agents:list');
    shell.environment['KEY'] = token;
    const { stdout, exitCode } = await shell.run('apply -f -', agent('{}'));
    expect(stdout).toContain('    This credential lacks the scope agents:create.\n');
    expect(exitCode).toBe(1);
  });

  it('can contain only the mask of a new secret', async () => {
    const { stdout } = await shell.run(
      'apply -f -',
      agent("{ runtime: { envs: [{ name: T, value: '***', secret: true }] } }"),
    );
    expect(stdout).toContain(
      'spec.runtime.envs.0.value must not be ***, the placeholder of a stored secret: no secret is stored',
    );
  });
});

describe('A gateway that cannot be reached', () => {
  it('rejects the key, which is never printed', async () => {
    shell.environment['KEY'] = 'wcp_a-key-that-nobody-made';
    const { stdout, stderr, exitCode } = await shell.run('apply -f -', agent('{}'));
    expect(stderr).toContain(`${running.app.origin} does not accept the key: `);
    expect(stdout + stderr).not.toContain('nobody-made');
    expect(exitCode).toBe(1);
    expect(shell.pauses).toEqual([]);
  });

  it('is retried with growing pauses', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = portOf(server.address());
    await new Promise((closed) => server.close(closed));
    shell.environment['SERVER'] = `http://127.0.0.1:${port}`;
    const { stderr, exitCode } = await shell.run('apply -f -', agent('{}'));
    expect(stderr).toBe(`Cannot connect to http://127.0.0.1:${port}: ECONNREFUSED\n`);
    expect(exitCode).toBe(1);
    expect(shell.pauses).toEqual([250, 500, 1_000, 2_000, 4_000]);
  });

  it.each([
    [2, [2_000], ''],
    [900, [], 'Too many names. Retry-After is 900 seconds.\n'],
  ])('is waited for if it says Retry-After: %i', async (seconds, pauses, stderr) => {
    let requests = 0;
    const server = createServer((_, response) => {
      const isFirst = requests++ === 0;
      response.writeHead(isFirst ? 429 : 200, { 'content-type': 'application/json', 'retry-after': String(seconds) });
      const refusal = { errors: [{ message: 'Too many names.', extensions: { code: 'too_many_requests' } }] };
      response.end(JSON.stringify(isFirst ? refusal : { data: { workspaces: { nodes: [], pageInfo: {} } } }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    shell.environment['SERVER'] = `http://127.0.0.1:${portOf(server.address())}`;
    const result = await shell.run('get workspaces');
    server.close();
    expect(result).toMatchObject({ stderr, exitCode: stderr === '' ? 0 : 1 });
    expect(shell.pauses).toEqual(pauses);
  });

  it('can be another server', async () => {
    const server = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const port = portOf(server.address());
    shell.environment['SERVER'] = `http://127.0.0.1:${port}`;
    const { stderr } = await shell.run(`get agents --workspace ${shell.workspace}`);
    server.close();
    expect(stderr).toMatch(/ returned 200 without JSON\. Check that it is the URL of a gateway\.\n$/);
  });

  it('can redirect: nobody else gets the key', async () => {
    let followed = 0;
    const server = createServer((incoming, response) => {
      if (incoming.url !== '/graphql') followed++;
      response.writeHead(307, { location: '/elsewhere' }).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    shell.environment['SERVER'] = `http://127.0.0.1:${portOf(server.address())}`;
    const { stderr } = await shell.run('get workspaces');
    server.close();
    expect(stderr).toMatch(/ returned 307 without JSON\. /);
    expect(followed).toBe(0);
  });

  it('can break off in the middle of an answer, which is asked for again', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      const answer = JSON.stringify({ data: { workspaces: { nodes: [], pageInfo: {} } } });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      if (requests++ > 0) response.end(answer);
      else response.write(answer.slice(0, 10), () => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    shell.environment['SERVER'] = `http://127.0.0.1:${portOf(server.address())}`;
    const result = await shell.run('get workspaces');
    server.close();
    expect(result).toMatchObject({ stderr: '', exitCode: 0 });
    expect({ requests, pauses: shell.pauses }).toEqual({ requests: 2, pauses: [250] });
  });

  it('loses a response: the change is made once', async () => {
    let mutations = 0;
    const network = await openLossyNetwork(running.app, (body) =>
      body.includes('mutation') && mutations++ === 0 ? 'after' : undefined,
    );
    shell.environment['SERVER'] = network.server;
    expect(await shell.done('apply -f -', agent('{}'))).toContain('1 created, 0 updated, 0 unchanged');
    network.close();
    expect({ mutations, pauses: shell.pauses }).toEqual({ mutations: 2, pauses: [250] });
  });

  it('disconnects midway: finished changes are printed, others counted, and a second run completes them', async () => {
    let mutations = 0;
    const network = await openLossyNetwork(running.app, (body) =>
      mutations >= 5 || (body.includes('mutation') && ++mutations > 5) ? 'before' : undefined,
    );
    shell.environment['SERVER'] = network.server;
    const documents = Array.from({ length: 30 }, (_, index) => agent('{}').replace('one', `agent-${index}`)).join(
      '---\n',
    );
    const { stdout, stderr, exitCode } = await shell.run('apply -f -', documents);
    network.close();
    expect(stderr).toMatch(/^Cannot connect to http:\S+: /);
    expect(exitCode).toBe(1);
    const created = stdout.match(/^created /gm)?.length ?? 0;
    expect(stdout).toContain(
      `${30 - created} documents were not applied. Run the command again.\n${created} created, `,
    );
    shell.environment['SERVER'] = running.app.origin;
    const sum = new RegExp(`${30 - created} created, 0 updated, ${created} unchanged`);
    expect(await shell.done('apply -f -', documents)).toMatch(sum);
  });
});

describe('An invalid command line', () => {
  it.each([
    ['apply', '"apply" requires -f, --file FILE|FOLDER|-'],
    ['apply -f', "Option '-f, --file <value>' argument missing. Run --help to list the options"],
    ['apply -f a -f b', '-f, --file is set twice'],
    ['apply -f nowhere.yaml', 'nowhere.yaml: ENOENT: no such file or directory'],
    ['apply -f .', '.: contains no documents'],
    ['apply -f - more', '"apply": unexpected argument "more"'],
    ['apply -f - --bogus', "Unknown option '--bogus'"],
    ['apply -f - --prune care', '--prune: must be a label and its value, such as team=care'],
    ['apply -f - --server localhost:4000', '--server: must be an http:// or https:// URL'],
    ['get', '"get" requires KIND'],
    ['get thing', 'KIND: must be one of: Workspace, Volume, Vpc, EgressGateway, EgressIp, Agent, Sandbox, '],
    ['get agents', '"get Agent" requires --workspace WORKSPACE'],
    ['get agents --workspace w -o xml', '-o, --output: must be one of: table, yaml, json'],
    ['get ip first --workspace w --vpc net', '"get EgressIp NAME" requires --gateway'],
    ['get ips --workspace w --gateway out', '--gateway requires --vpc'],
  ])('%s: %s', async (line, reason) => {
    const { stdout, stderr, exitCode } = await shell.run(line);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(reason);
  });

  it('has no key', async () => {
    delete shell.environment['KEY'];
    expect(await shell.run('get workspaces')).toMatchObject({
      stderr: 'missing key. Run "login", set the environment variable KEY, or use --key\n',
      exitCode: 2,
    });
  });
});
