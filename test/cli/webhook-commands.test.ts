// Webhooks on the command line, as a client of a gateway, with a receiver.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listWebhooks } from '../../src/cli/webhook-answers.js';
import { useApp } from '../harness.js';
import { openLossyNetwork, openShell } from '../manifests/command.js';
import type { Shell } from '../manifests/command.js';
import { mutate } from '../resources/mutations.js';
import { openReceiver } from '../webhooks/receiver.js';
import type { Receiver } from '../webhooks/receiver.js';
import { toReceivers, whileDelivering } from '../webhooks/sending.js';

const running = useApp(toReceivers);
let shell: Shell;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await openReceiver();
  // Deliveries take time.
  shell = await openShell(running.app, async (ms) => void (await setTimeout(ms / 5)));
});

afterAll(() => receiver.close());

async function json(line: string): Promise<ReturnType<typeof JSON.parse>> {
  return JSON.parse(await shell.done(`${line} --json`));
}

describe('webhooks', () => {
  it('are created with a secret that is shown once, listed, updated and deleted', async () => {
    const line = `webhooks create deployments --url ${receiver.origin}/a --workspace ${shell.workspace} --kinds agents,egress-ip`;
    expect(await shell.run(`${line} --dry-run`)).toMatchObject({
      stdout: 'Would create the webhook deployments.\n',
      exitCode: 0,
    });
    expect(await json('webhooks list')).toEqual([]);
    const created = await shell.run(line);
    expect(created.stdout).toMatch(/^whsec_\S+\n$/);
    expect(created.stderr).toContain('It is not shown again.');
    const [listed] = await json(`webhooks list --workspace ${shell.workspace} --status active`);
    expect(listed).toMatchObject({
      name: 'deployments',
      account: expect.stringContaining('shell-'),
      workspace: shell.workspace,
      format: 'standard',
      status: 'active',
    });
    expect(await json('webhooks list --status paused')).toEqual([]);
    expect(await json('webhooks get deployments')).toMatchObject({
      id: listed.id,
      kinds: 'Agent,EgressIp',
      actions: null,
    });

    await shell.done('webhooks update deployments --actions created,Deleted --name renamed --format slack');
    expect(await json(`webhooks get ${listed.id}`)).toMatchObject({
      name: 'renamed',
      format: 'slack',
      kinds: 'Agent,EgressIp',
      actions: 'created,deleted',
    });
    await shell.done('webhooks update renamed --all-changes --dry-run');
    expect(await json('webhooks get renamed')).toMatchObject({ kinds: 'Agent,EgressIp' });
    await shell.done('webhooks update renamed --all-changes');
    expect(await json('webhooks get renamed')).toMatchObject({ kinds: null, actions: null });
    expect(await shell.done('webhooks update renamed --pause')).toBe('Updated the webhook renamed. It is paused.\n');
    expect(await shell.done('webhooks update renamed --resume --skip-missed')).toContain('It is active.');

    await shell.done('webhooks delete renamed --dry-run');
    expect(await shell.done('webhooks get renamed')).toContain('renamed');
    expect(await shell.done('webhooks delete renamed')).toBe('Deleted the webhook renamed.\n');
    expect(await shell.run('webhooks get renamed')).toEqual({
      stdout: '',
      stderr: 'There is no webhook named "renamed" here.\n',
      exitCode: 1,
    });
  });

  it('keep the conditions of their filter that no option names, also if another admin changes them meanwhile', async () => {
    const { webhook } = await mutate(running.app, shell.key, 'createWebhook', 'webhook { id }', {
      name: 'shared',
      url: `${receiver.origin}/f`,
      filter: { kinds: ['AGENT'], actors: ['ada'], addresses: ['192.0.2.7'], clients: ['api_key wcp_1'] },
    });
    const kept = { actors: 'ada', addresses: '192.0.2.7', clients: 'api_key wcp_1' };
    await shell.done('webhooks update shared --kinds job');
    expect(await json('webhooks get shared')).toMatchObject({ kinds: 'Job', ...kept });
    const network = await openLossyNetwork(running.app, async (body) => {
      if (!body.includes('updateWebhook')) return undefined;
      const filter = { kinds: ['JOB'], actors: ['bob'] };
      await mutate(running.app, shell.key, 'updateWebhook', 'webhook { id }', { id: webhook.id, filter });
      return undefined;
    });
    const { exitCode, stderr } = await shell.run(`webhooks update shared --kinds agent --server ${network.server}`);
    network.close();
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('version') });
    expect(await json('webhooks get shared')).toMatchObject({ kinds: 'Job', actors: 'bob', clients: null });
  });

  it('are tested; failed deliveries are listed and sent again; the secret is rotated', async () => {
    const first = (await shell.run(`webhooks create tested --url ${receiver.origin}/b --kinds agent`)).stdout;
    await whileDelivering(running.app, async () => {
      const { stdout } = await shell.run('webhooks test tested');
      expect(stdout).toMatch(/^Delivered with the status 204 after \d+ ms\.\n$/);
      expect(receiver.at('/b')).toHaveLength(1);
      receiver.answer((response) => void response.writeHead(500).end('no'));
      const failed = await shell.run('webhooks test tested');
      expect(failed.exitCode).toBe(1);
      expect(failed.stderr).toContain('The delivery failed: ');
      receiver.answer((response) => void response.writeHead(204).end());
      const deliveries = await json('webhooks deliveries tested --status failed');
      expect(deliveries).toMatchObject([{ reason: 'test', status: 'failed', statusCode: '500', attempts: '1' }]);
      expect(await shell.done(`webhooks redeliver ${deliveries[0].id}`)).toContain('Delivered with the status 204');
      const since = 'webhooks redeliver-failed tested --since 2020-01-01T00:00:00Z';
      expect(await json(`${since} --dry-run`)).toMatchObject({ dryRun: true, hasMore: false });
      expect(await json('webhooks deliveries tested --limit 2')).toHaveLength(2);
    });
    const second = (await shell.run('webhooks rotate-secret tested')).stdout;
    expect(second).toMatch(/^whsec_\S+\n$/);
    expect(second).not.toBe(first);
  });

  it.each([
    ['webhooks get nothing', 'There is no webhook named "nothing" here.', 1],
    ['webhooks create x --url http://example.com --kinds cheese', '--kinds: unknown value "cheese"', 2],
    ['webhooks create x --url ftp://example.com', 'url', 1],
    ['webhooks create x', '"webhooks create" requires --url URL', 2],
    ['webhooks update tested --pause --resume', '--pause and --resume exclude each other', 2],
    ['webhooks update tested --skip-missed', '--skip-missed requires --resume', 2],
    ['webhooks list --status broken', '--status: must be one of: active, paused', 2],
    ['webhooks list --account nowhere', 'Access denied.', 1],
    ['webhooks deliveries tested --limit 0', '--limit: must be a number from 1 to 200', 2],
  ])('say what is wrong: %s', async (line, message, exitCode) => {
    const result = await shell.run(line);
    expect(result).toMatchObject({ stdout: '', exitCode });
    expect(result.stderr).toContain(message);
  });

  it('of one name are told apart by their ids', async () => {
    for (const path of ['c', 'd']) await shell.run(`webhooks create twin --url ${receiver.origin}/${path}`);
    expect((await shell.run('webhooks delete twin')).stderr).toContain('2 webhooks are named "twin". Use the id');
  });

  it('are those of all accounts, also if the accounts fill several pages', async () => {
    const pages: Record<string, object> = {
      first: { pageInfo: { hasNextPage: true, endCursor: 'second' }, nodes: [{ name: 'acme' }] },
      second: { pageInfo: { hasNextPage: false, endCursor: 'end' }, nodes: [{ name: 'globex' }] },
    };
    const query = async (_document: string, { after, name }: Record<string, unknown>) =>
      name === undefined
        ? { accounts: pages[String(after ?? 'first')] }
        : { account: { webhooks: { nodes: [{ name: `of ${String(name)}` }] } } };
    const gateway = { query, mutate: query, pause: async () => {} };
    const given = { text: () => undefined, has: () => false };
    expect(await listWebhooks(gateway, given)).toEqual([{ name: 'of acme' }, { name: 'of globex' }]);
  });
});
