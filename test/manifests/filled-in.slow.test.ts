// What the platform fills in stays when a document that does not name it is applied again.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyKinds } from '../../src/manifests/apply-kind.js';
import { graphql, useApp } from '../harness.js';
import { connectAssistant } from '../api/mcp/assistant.js';
import { anExecutor } from '../lifecycle/executor.js';
import type { TestExecutor } from '../lifecycle/executor.js';
import { addRegion, openShell } from './command.js';
import type { Shell } from './command.js';

const running = useApp();
let shell: Shell;
let executor: TestExecutor;

beforeAll(async () => {
  await addRegion(running.app, 'eu-open');
  executor = await anExecutor(running.app, 'builder');
});
beforeEach(async () => {
  shell = await openShell(running.app);
});

/** Reports everything as deployed, with an image and an address. */
async function deployAll(): Promise<string[]> {
  const kinds: string[] = [];
  for (;;) {
    const { assignments } = await executor.claim();
    if (assignments.length === 0) return kinds;
    for (const assignment of assignments) {
      const address = { SANDBOX_PREVIEW: 'https://web.example.com', EGRESS_IP: '203.0.113.7' }[String(assignment.kind)];
      const image = 'registry.example.com/built:r1';
      const reported = await executor.report(assignment, { state: 'DEPLOYED', image, ...(address && { address }) });
      expect(reported.state).toBe('DEPLOYED');
      kinds.push(assignment.kind);
    }
  }
}

/** A document of each kind with what it must have, in YAML. Workloads have the given text. */
function documentsOf(workspace: string, workload: string): string {
  const documents = [
    ['Workspace', 'metadata: { name: WORKSPACE }'],
    ['Volume', 'metadata: { name: data }', 'spec: { region: eu-open, sizeMb: 1024 }'],
    ['Vpc', 'metadata: { name: net }'],
    ['EgressGateway', 'vpc: net', 'metadata: { name: out }'],
    ['EgressIp', 'vpc: net', 'gateway: out', 'metadata: { name: ip }'],
    ['Agent', 'metadata: { name: agent }', workload],
    ['Sandbox', 'metadata: { name: box }', workload],
    ['SandboxPreview', 'sandbox: box', 'metadata: { name: web }'],
    ['Job', 'metadata: { name: job }', workload],
  ].map(([kind, ...lines]) =>
    [`kind: ${kind}`, ...(kind === 'Workspace' ? [] : ['workspace: WORKSPACE']), ...lines].join('\n'),
  );
  return documents.join('\n---\n').replaceAll('WORKSPACE', workspace);
}

const unchanged = new RegExp(`\n0 created, 0 updated, ${applyKinds.length} unchanged, 0 deleted, 0 refused\\.\n$`);

describe('What the platform fills in', () => {
  it.each([
    '',
    'spec: {}',
    'spec:',
    'spec: { runtime: null }',
    'spec: { runtime: {} }',
    'spec: { runtime: { memory: 2048, image: } }',
    'spec: { enabled: false }',
  ])('stays in resources of each kind when their documents are applied again with %j', async (workload) => {
    const documents = documentsOf(shell.workspace, workload);
    const first = await shell.done('apply -f -', documents);
    expect(first).toContain(`${applyKinds.length - 1} created,`);
    const deployed = await deployAll();
    const built = workload.includes('enabled: false') ? [] : ['AGENT', 'SANDBOX', 'JOB'];
    expect(deployed).toEqual(expect.arrayContaining([...built, 'VOLUME', 'VPC', 'EGRESS_GATEWAY', 'EGRESS_IP']));
    const printed = await shell.done(`get all --workspace ${shell.workspace} -o yaml`);
    expect(printed.split('registry.example.com/built:r1')).toHaveLength(built.length + 1);
    expect(await shell.done('apply -f -', documents)).toMatch(unchanged);
    expect(await shell.done('apply -f - --dry-run', documents)).toContain(`${applyKinds.length} unchanged`);
    const assistant = await connectAssistant(running.app, shell.key);
    const manifest = { manifest: documents, dryRun: false };
    const { result } = await assistant.call('apply_manifest', manifest);
    expect(result.counts).toEqual({ unchanged: applyKinds.length });
    expect(await shell.done(`get all --workspace ${shell.workspace} -o yaml`)).toBe(printed);
    expect(await shell.done('apply -f -', printed)).toContain('0 created, 0 updated,');
    expect(await deployAll()).toEqual([]);
  });

  it('stays when another field of its part is removed', async () => {
    const agent = (spec: string) => `kind: Agent\nworkspace: ${shell.workspace}\nmetadata: { name: agent }\n${spec}`;
    await shell.done('apply -f -', agent('spec: { runtime: { memory: 2048 } }'));
    await deployAll();
    expect(await shell.done('apply -f -', agent(''))).toContain('    spec.runtime.memory: 2048 -> nothing\n0 created');
    const { body } = await graphql(
      running.app,
      shell.key,
      `{ agent(workspace: "${shell.workspace}", name: "agent") { spec { runtime { image memory } } } }`,
    );
    expect(body.data.agent.spec.runtime).toEqual({ image: 'registry.example.com/built:r1', memory: null });
  });

  it('are ids and secrets of triggers, which a document does not name', async () => {
    const query = `{ agent(workspace: "${shell.workspace}", name: "agent") { version
      spec { triggers { id type configuration { callbackSecret schedule } } } } }`;
    const triggers = async () => (await graphql(running.app, shell.key, query)).body.data.agent;
    const agent = (...list: string[]) =>
      `kind: Agent\nworkspace: ${shell.workspace}\nmetadata: { name: agent }\nspec: { triggers: [${list.join(', ')}] }`;
    const [call, early, late] = [
      "{ type: http-async, configuration: { callbackUrl: 'https://example.com/back' } }",
      '{ type: cron, configuration: { schedule: 0 5 * * * } }',
      '{ type: cron, configuration: { schedule: 0 22 * * * } }',
    ] as const;
    await shell.done('apply -f -', agent(early.replace('{', '{ id: early, '), call.replace('{', '{ id: back, ')));
    const before = await triggers();
    expect(before.spec.triggers[1].configuration.callbackSecret).not.toBe('***');
    expect(await shell.done('apply -f -', agent(early, call))).toContain('0 updated, 1 unchanged');
    expect(await triggers()).toEqual(before);
    await shell.done('apply -f -', agent(call, late, early));
    expect((await triggers()).spec.triggers).toEqual([
      before.spec.triggers[1],
      expect.objectContaining({ id: 'cron' }),
      before.spec.triggers[0],
    ]);
  });
});
