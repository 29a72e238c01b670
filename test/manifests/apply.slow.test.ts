// Manifests applied to a gateway over HTTP: only differences are written, in a valid order.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createToken, graphql, useApp } from '../harness.js';
import { addRegion, openLossyNetwork, openShell, platformOf } from './command.js';
import type { Shell } from './command.js';

const running = useApp({}, { ownDatabase: true });
let shell: Shell;

beforeAll(() => addRegion(running.app, 'eu-open'));
beforeEach(async () => {
  shell = await openShell(running.app);
});

const historyOf = ({ tenant }: Shell) =>
  running.app.services.db.change.findMany({ where: { accountId: tenant.accountId }, orderBy: { sequence: 'asc' } });

const applyPlatform = () => shell.done('apply -f -', platformOf(shell.workspace));

describe('apply', () => {
  it('creates missing resources in the order of dependencies, and prints a line for each', async () => {
    const stdout = await applyPlatform();
    const w = shell.workspace;
    expect(stdout).toBe(
      [
        `updated    Workspace ${w}`,
        '    metadata.displayName: nothing -> "The Main One"',
        `created    Volume ${w}/data`,
        `created    Vpc ${w}/net`,
        `created    EgressGateway ${w}/net/out`,
        `created    EgressIp ${w}/net/out/first`,
        `created    Agent ${w}/support`,
        `created    Sandbox ${w}/box`,
        `created    SandboxPreview ${w}/box/web`,
        `created    Job ${w}/nightly`,
        '8 created, 1 updated, 0 unchanged, 0 deleted, 0 refused.\n',
      ].join('\n'),
    );
    expect((await historyOf(shell)).map(({ kind, verb }) => `${verb} ${kind}`)).toHaveLength(9);
  });

  it('changes nothing the second time: no version, no record, with repeated secrets', async () => {
    await applyPlatform();
    const before = await historyOf(shell);
    const stdout = await applyPlatform();
    expect(stdout).toMatch(/\n0 created, 0 updated, 9 unchanged, 0 deleted, 0 refused\.\n$/);
    expect(await historyOf(shell)).toEqual(before);
  });

  it('keeps the image that an executor has built if the document has none', async () => {
    await applyPlatform();
    await running.app.services.db.$executeRaw`
      UPDATE "agent" SET "spec" = jsonb_set("spec"::jsonb, '{runtime,image}', '"registry.example.com/support:r1"')
      WHERE "name" = 'support'`;
    const stdout = await applyPlatform();
    expect(stdout).toMatch(/\n0 created, 0 updated, 9 unchanged, 0 deleted, 0 refused\.\n$/);
  });

  it('updates differing fields, clears removed ones, and lists the fields', async () => {
    await applyPlatform();
    const changed = platformOf(shell.workspace)
      .replace('memory: 2048', 'memory: 4096')
      .replace('displayName: Support, externalId: ext-1, labels: { app: shop, team: care }', 'labels: { app: shop }')
      .replace('s3cr3t-value', 'an0ther-value');
    const stdout = await shell.done('apply -f -', changed);
    expect(stdout).toContain(`updated    Agent ${shell.workspace}/support\n`);
    for (const line of [
      'metadata.displayName: "Support" -> nothing',
      'metadata.externalId: "ext-1" -> nothing',
      'metadata.labels.team: "care" -> nothing',
      'spec.runtime.memory: 2048 -> 4096',
    ])
      expect(stdout).toContain(`    ${line}\n`);
    expect(stdout).toMatch(/\n0 created, 1 updated, 8 unchanged, 0 deleted, 0 refused\.\n$/);
    expect(stdout).not.toMatch(/s3cr3t|an0ther/);
  });

  it('updates the value of a secret without printing it', async () => {
    await applyPlatform();
    const stdout = await shell.done('apply -f -', platformOf(shell.workspace).replace('s3cr3t-value', 'an0ther-value'));
    expect(stdout).toContain(`updated    Agent ${shell.workspace}/support: values of secret variables\n`);
    expect(stdout).not.toMatch(/s3cr3t|an0ther/);
  });

  it('reads YAML, JSON and lists of documents from a folder and its subfolders', async () => {
    mkdirSync(join(shell.folder, 'platform', 'deep'), { recursive: true });
    const agent = (name: string) => ({ kind: 'Agent', metadata: { name } });
    shell.write('platform/one.yaml', '# only a comment\n---\nkind: Agent\nmetadata: { name: one }\n---\n');
    shell.write('platform/deep/more.json', JSON.stringify([agent('two'), agent('three')]));
    shell.write('platform/deep/notes.txt', 'kind: nothing');
    const stdout = await shell.done(`apply -f platform --workspace ${shell.workspace}`);
    expect(stdout.split('\n').slice(0, 3)).toEqual(
      ['two', 'three', 'one'].map((name) => `created    Agent ${shell.workspace}/${name}`),
    );
  });

  it('supports YAML anchors and aliases', async () => {
    const document = (name: string) => `kind: Agent\nworkspace: ${shell.workspace}\nmetadata: { name: ${name} }\n`;
    const shared = `${document('one')}spec: { runtime: &small { memory: 1024, generation: mk3 } }`;
    const merged = `- &one\n  ${shared.replaceAll('\n', '\n  ')}\n- <<: *one\n  metadata: { name: two }\n`;
    expect(await shell.done('apply -f -', merged)).toContain('2 created');
    expect(await shell.done(`get agent two --workspace ${shell.workspace} -o yaml`)).toContain('memory: 1024');
  });

  it('prints JSON', async () => {
    const { workspace } = shell;
    const document = `kind: Agent\nworkspace: ${workspace}\nmetadata: { name: one }`;
    const { documents, summary, dryRun } = JSON.parse(await shell.done('apply -f - --json', document));
    expect(dryRun).toBe(false);
    const place = { file: 'standard input', document: 1 };
    expect(documents).toEqual([{ action: 'created', kind: 'Agent', workspace, name: 'one', ...place }]);
    expect(summary).toEqual({ created: 1, updated: 0, unchanged: 0, deleted: 0, refused: 0 });
  });

  it('creates a workspace and its resources in one run', async () => {
    const fresh = `${shell.workspace}-2`;
    await shell.done('apply -f -', platformOf(fresh));
    // Until every process of a gateway knows it.
    expect(shell.pauses).toEqual([1_000]);
    expect(await shell.done(`get agents --workspace ${fresh}`)).toContain('support');
  });

  it('retries after a concurrent change', async () => {
    await applyPlatform();
    const { services } = running.app;
    // Another user makes a change after the document was read.
    let changes = 0;
    const network = await openLossyNetwork(running.app, async (body) => {
      if (body.includes('mutation UpdateJob') && changes++ === 0) {
        const query = `mutation ($input: UpdateJobInput!) { updateJob(input: $input) { __typename } }`;
        const input = { workspace: shell.workspace, name: 'nightly', metadata: { displayName: 'Theirs' } };
        await graphql(running.app, shell.key, query, { input });
      }
      return undefined;
    });
    shell.environment['SERVER'] = network.server;
    const stdout = await shell.done('apply -f -', platformOf(shell.workspace).replace('timeout: 600', 'timeout: 700'));
    network.close();
    expect(stdout).toContain('    metadata.displayName: "Theirs" -> nothing\n    spec.timeout: 600 -> 700\n');
    expect(await services.db.job.findFirst({ where: { name: 'nightly', version: 3 } })).not.toBeNull();
  });
});

describe('apply of many documents', () => {
  /** Applies documents. @returns also how often each operation was sent, and the most requests at the same time. */
  async function applyCounted(documents: string, options = '') {
    const counts: Record<string, number> = {};
    const network = await openLossyNetwork(running.app, (body) => {
      const [, operation = ''] = /"(?:query|mutation) (\w+)/.exec(body) ?? [];
      counts[operation] = (counts[operation] ?? 0) + 1;
      return undefined;
    });
    shell.environment['SERVER'] = network.server;
    const stdout = await shell.done(`apply -f - ${options}`.trim(), documents);
    network.close();
    shell.environment['SERVER'] = running.app.origin;
    return { stdout, counts, openMax: network.mostAtOnce() };
  }

  const names = Array.from({ length: 130 }, (_, index) => `job-${(index * 7) % 130}`);
  const jobs = (timeout: number) =>
    names
      .map(
        (name) =>
          `kind: Job\nworkspace: ${shell.workspace}\nmetadata: { name: ${name} }\nspec: { timeout: ${timeout} }`,
      )
      .join('\n---\n');

  it('reads a hundred with one request, writes several concurrently, and prints them in order', async () => {
    const made = await applyCounted(jobs(600));
    expect(made.counts).toEqual({ Read: 2, CreateJob: 130 });
    expect(made.openMax).toBe(8);
    expect(made.stdout.match(/(?<=^created {4}Job \S+\/)\S+/gm)).toEqual(names);
    const changed = await applyCounted(jobs(700));
    expect(changed.counts).toEqual({ Read: 2, UpdateJob: 130 });
    expect(changed.stdout).toMatch(/\n0 created, 130 updated, 0 unchanged, 0 deleted, 0 refused\.\n$/);
  });

  it('sends nothing for equal documents, including omitted defaults', async () => {
    await shell.done('apply -f -', jobs(600));
    const { stdout, counts } = await applyCounted(jobs(600));
    expect(counts).toEqual({ Read: 2 });
    expect(stdout).toMatch(/\n0 created, 0 updated, 130 unchanged, 0 deleted, 0 refused\.\n$/);
  });

  it('reads child resources with their parent, and none below parents that a dry run would create', async () => {
    await applyPlatform();
    const { counts } = await applyCounted(platformOf(shell.workspace), '--dry-run');
    expect(counts['Read']).toBe(9);
    const fresh = await applyCounted(platformOf(`${shell.workspace}-2`), '--dry-run');
    expect(fresh.counts).toEqual({ Read: 1, CreateWorkspace: 1 });
  });

  it('sends updates of secrets and normalized values, which the gateway compares', async () => {
    await applyPlatform();
    const { stdout, counts } = await applyCounted(platformOf(shell.workspace));
    expect(counts).toEqual({ Read: 9, UpdateEgressIp: 1, UpdateAgent: 1, UpdateSandboxPreview: 1 });
    expect(stdout).toMatch(/\n0 created, 0 updated, 9 unchanged, 0 deleted, 0 refused\.\n$/);
  });

  it('reads one by one with a credential that may not list', async () => {
    const job = `kind: Job\nworkspace: ${shell.workspace}\nmetadata: { name: nightly }`;
    const { token } = await createToken(running.app, shell.tenant, 'jobs:get jobs:create');
    shell.environment['KEY'] = token;
    expect(await shell.done('apply -f -', job)).toContain('1 created, 0 updated');
  });
});

describe('apply --dry-run', () => {
  it('shows created and updated resources, and changes nothing', async () => {
    await applyPlatform();
    const before = await historyOf(shell);
    const more = `${platformOf(shell.workspace).replace('parallelism: 2', 'parallelism: 3')}
---
kind: Agent
workspace: ${shell.workspace}
metadata: { name: other }`;
    const stdout = await shell.done('apply -f - --dry-run', more);
    expect(stdout).toContain(`created    Agent ${shell.workspace}/other\n`);
    expect(stdout).toContain(`updated    Job ${shell.workspace}/nightly\n    spec.parallelism: 2 -> 3\n`);
    expect(stdout).toMatch(
      /\nDry run, nothing was changed: 1 created, 1 updated, 8 unchanged, 0 deleted, 0 refused\.\n$/,
    );
    expect(await historyOf(shell)).toEqual(before);
  });

  it('reports checks that require a resource to be created first', async () => {
    const stdout = await shell.done('apply -f - --dry-run', platformOf(shell.workspace));
    const w = shell.workspace;
    expect(stdout).toContain(`created    Agent ${w}/support: not checked until Volume ${w}/data is created\n`);
    expect(stdout).toContain(`created    EgressIp ${w}/net/out/first: not checked until Vpc ${w}/net is created\n`);
    expect(stdout).toContain(`created    SandboxPreview ${w}/box/web: not checked until Sandbox ${w}/box is created\n`);
    const unchecked = stdout.match(/: not checked until/g)?.length;
    expect(stdout).toMatch(new RegExp(`0 refused\\. ${unchecked} of them could not be checked yet\\.\\n$`));
    expect(await historyOf(shell)).toEqual([]);
  });

  it('rejects invalid documents', async () => {
    const { stdout, exitCode } = await shell.run(
      'apply -f - --dry-run',
      `kind: Agent\nworkspace: ${shell.workspace}\nmetadata: { name: one }\nspec: { region: nowhere, public: true }`,
    );
    expect(stdout).toContain(`refused    Agent ${shell.workspace}/one (standard input, document 1)\n    spec.public `);
    expect(exitCode).toBe(1);
  });
});

describe('apply --prune', () => {
  it('deletes labelled resources without a document, last created first, and nothing else', async () => {
    await applyPlatform();
    await shell.done('apply -f -', `kind: Agent\nworkspace: ${shell.workspace}\nmetadata: { name: unlabelled }`);
    const rest = `kind: Job\nworkspace: ${shell.workspace}\nmetadata: { name: nightly, labels: { app: shop } }\nspec: { parallelism: 2, timeout: 600 }`;
    const w = shell.workspace;
    const gone = [
      'Sandbox|box',
      'Agent|support',
      'EgressIp|net/out/first',
      'EgressGateway|net/out',
      'Vpc|net',
      'Volume|data',
    ];
    const lines = gone.map((each) => `deleted    ${each.replace('|', ` ${w}/`)}`);
    const told = [`unchanged  Job ${w}/nightly`, ...lines];
    const before = await historyOf(shell);
    const sum = '0 created, 0 updated, 1 unchanged, 6 deleted, 0 refused.\n';
    expect(await shell.done('apply -f - --prune app=shop --dry-run', rest)).toBe(
      [...told, `Dry run, nothing was changed: ${sum}`].join('\n'),
    );
    expect(await historyOf(shell)).toEqual(before);
    expect(await shell.done('apply -f - --prune app=shop', rest)).toBe([...told, sum].join('\n'));
    expect(await shell.done(`get all --workspace ${w}`)).toMatch(/Agent +unlabelled .*\nJob +nightly .*\n$/);
  });

  it('keeps parents of resources in documents, and reports resources in use', async () => {
    await applyPlatform();
    await shell.done(
      'apply -f -',
      `kind: Agent\nworkspace: ${shell.workspace}\nmetadata: { name: user }\nspec: { region: eu-open, volumes: [{ name: data, mountPath: /d }] }`,
    );
    const gateway = `kind: EgressGateway\nworkspace: ${shell.workspace}\nvpc: net\nmetadata: { name: out, displayName: Way out }`;
    const { stdout, exitCode } = await shell.run('apply -f - --prune app=shop', gateway);
    expect(stdout).not.toContain('Vpc');
    expect(stdout).toContain(
      `refused    Volume ${shell.workspace}/data\n    The volume "data" is in use by the agent "support", the agent "user", the sandbox "box".\n`,
    );
    expect(stdout).toContain('Nothing was deleted, because a resource cannot be deleted.\n');
    expect(await shell.done(`get all --workspace ${shell.workspace}`)).toMatch(/Agent +support .*/);
    expect(exitCode).toBe(1);
  });

  it('keeps resources that are protected by their document, and says how to remove the protection', async () => {
    const w = shell.workspace;
    const volume = (more: string) =>
      `kind: Volume\nworkspace: ${w}\nmetadata: { name: safe, labels: { app: shop }${more} }\nspec: { region: eu-open, sizeMb: 1 }`;
    expect(await shell.done('apply -f -', volume(', protected: true'))).toContain(`created    Volume ${w}/safe`);
    expect(await shell.done('apply -f -', volume(', protected: true'))).toContain(`unchanged  Volume ${w}/safe`);
    expect(await shell.done(`get volume safe --workspace ${w} -o yaml`)).toContain('protected: true');
    const unsafe = (name: string) =>
      `kind: Job\nworkspace: ${w}\nmetadata: { name: ${name}, labels: { app: shop } }\n---\n` +
      `kind: Agent\nworkspace: ${w}\nmetadata: { name: ${name}, labels: { app: shop } }`;
    await shell.done('apply -f -', unsafe('one'));
    const other = `kind: Agent\nworkspace: ${w}\nmetadata: { name: other }`;
    await shell.done('apply -f -', other);
    const before = await historyOf(shell);
    for (const [option, verb] of [
      ['--dry-run', 'would be'],
      ['', 'was'],
    ]) {
      const { stdout, exitCode } = await shell.run(`apply -f - --prune app=shop ${option}`.trim(), other);
      expect(stdout).toContain(
        `unchanged  Agent ${w}/other\nrefused    Volume ${w}/safe\n    metadata.protected is true for the volume "safe", so it cannot be deleted.`,
      );
      expect(stdout).toContain(`Nothing ${verb} deleted, because a resource cannot be deleted.\n`);
      expect(stdout).toContain('0 deleted, 1 refused.');
      expect(exitCode).toBe(1);
    }
    expect(await historyOf(shell)).toEqual(before);
    expect(await shell.done('apply -f -', volume(''))).toContain('metadata.protected: true -> nothing');
    expect(await shell.done('apply -f - --prune app=shop', other)).toContain(
      `deleted    Job ${w}/one\ndeleted    Agent ${w}/one\ndeleted    Volume ${w}/safe\n`,
    );
  });

  it('stops at a resource that is protected after the check', async () => {
    const w = shell.workspace;
    const labelled = (kind: string, more = '') =>
      `kind: ${kind}\nworkspace: ${w}\nmetadata: { name: one, labels: { app: shop }${more} }\n`;
    await shell.done('apply -f -', [labelled('Job'), labelled('Agent'), labelled('Vpc')].join('---\n'));
    const deletions: string[] = [];
    const network = await openLossyNetwork(running.app, (body) => {
      const [, kind] = /mutation Delete(\w+)/.exec(body) ?? [];
      if (kind !== undefined && body.includes('"validateOnly":false')) deletions.push(kind);
      return undefined;
    });
    // The job is the first to be deleted, so its deletion comes after the check.
    const { db } = running.app.services;
    await db.$executeRaw`CREATE FUNCTION protect_agents() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN UPDATE "agent" SET "protected" = true; RETURN NULL; END'`;
    await db.$executeRaw`CREATE TRIGGER protect_agents AFTER DELETE ON "job" FOR EACH STATEMENT EXECUTE FUNCTION protect_agents()`;
    try {
      const kept = `kind: Workspace\nmetadata: { name: ${w} }`;
      const { stdout, exitCode } = await shell.run(`apply -f - --prune app=shop --server ${network.server}`, kept);
      expect(stdout).toContain(`deleted    Job ${w}/one\nrefused    Agent ${w}/one\n`);
      expect(stdout).toContain('Resources after it were not deleted.\n');
      expect({ deletions, exitCode }).toEqual({ deletions: ['Job', 'Agent'], exitCode: 1 });
    } finally {
      network.close();
      await db.$executeRaw`DROP FUNCTION protect_agents CASCADE`;
    }
  });

  it('deletes nothing if a document is rejected', async () => {
    await applyPlatform();
    const bad = `kind: Agent\nworkspace: ${shell.workspace}\nmetadata: { name: one }\nspec: { region: nowhere }`;
    const { stdout } = await shell.run('apply -f - --prune app=shop', bad);
    expect(stdout).toMatch(
      /Nothing was deleted\. Fix the rejected documents first\.\n0 created.* 0 deleted, 1 refused\.\n$/,
    );
  });
});
