// Webhooks that send messages for people.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeMessage, chatPayloads } from '../../src/webhooks/chat-message.js';
import { changePayload } from '../../src/webhooks/payload.js';
import type { Change } from '../../src/changes/change.js';
import { allKinds } from '../../src/changes/change-subjects.js';
import { mutate } from '../resources/mutations.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { expectResponses } from '../page-responses.js';
import { openReceiver } from './receiver.js';
import type { Receiver } from './receiver.js';
import { makeWebhook, toReceivers, whileDelivering } from './sending.js';

const publicUrl = 'https://control.example.com';
const running = useApp({ ...toReceivers, PUBLIC_URL: publicUrl });
let receiver: Receiver;
let tenant: Tenant;
let key: string;

beforeAll(async () => {
  receiver = await openReceiver();
  tenant = await createTenant(running.app, { account: 'one', workspaces: ['acme'] });
  ({ key } = await createKey(running.app, tenant));
});

afterAll(() => receiver.close());

const change: Change = {
  accountId: '0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a11',
  sequence: 1,
  time: '2026-11-20T12:00:00.000Z',
  workspaceId: null,
  workspaceName: 'acme',
  kind: 'AGENT',
  verb: 'updated',
  resourceId: '0198a5f0-3c1e-7d52-9b1f-6f1f6d9c2a12',
  name: 'support',
  version: 4,
  actorKind: 'user',
  actorName: 'ann@example.com',
  client: null,
  requestId: null,
  address: null,
  fields: ['spec.runtime.memory'],
  status: null,
  message: null,
  count: null,
  position: { key: '1', id: 'x' },
};

describe('docs/webhooks.md', () => {
  it('contains the body in each format', async () => {
    const example = { ...change, client: 'api_key wcp_1a2b3c', requestId: '0b6e4c1f5d7a4e2c', status: 'UPDATED' };
    const message = changeMessage(example, 'one', publicUrl);
    const bodies = {
      STANDARD: changePayload(example, false),
      SLACK: chatPayloads.slack(message),
      TEAMS: chatPayloads.teams(message),
    };
    const request = /in the format `(STANDARD|SLACK|TEAMS)`:\n\n/;
    const written: string[] = [];
    await expectResponses('webhooks.md', request, (format) => {
      const [name = '', body = ''] = Object.entries(bodies).find(([each]) => each === format) ?? [];
      written.push(name);
      return JSON.parse(body);
    });
    expect(written).toEqual(['STANDARD', 'SLACK', 'TEAMS']);
  });
});

describe('messages', () => {
  it('are plain sentences with the page of the resource', () => {
    expect(changeMessage(change, 'one', publicUrl)).toEqual({
      sentence: 'Agent support in acme was updated by ann@example.com.',
      details: ['Changed: spec.runtime.memory'],
      link: 'https://control.example.com/w/acme/agents/support',
    });
    const failed = { ...change, verb: 'status' as const, status: 'FAILED', actorName: null, message: 'Out of memory' };
    expect(changeMessage(failed, 'one', publicUrl)).toMatchObject({
      sentence: 'Agent support in acme is now FAILED.',
      details: ['Out of memory', 'Changed: spec.runtime.memory'],
    });
    const denied = { ...change, kind: 'ACCESS' as const, verb: 'denied' as const, name: 'Mutation.runJob', count: 3 };
    expect(changeMessage({ ...denied, workspaceName: null }, 'one', publicUrl)).toMatchObject({
      sentence: 'Access Mutation.runJob was denied by ann@example.com (3 times).',
      link: undefined,
    });
  });

  it.each([
    ['VPC', 'updated', '/w/acme/networks/support'],
    ['AGENT', 'deleted', '/w/acme/activity'],
    ['JOB_EXECUTION', 'status', '/w/acme/activity'],
    ['WORKSPACE', 'updated', '/w/acme'],
    ['BUDGET', 'threshold_reached', '/a/one/budgets'],
    ['INVITATION', 'created', '/a/one/members'],
    ['API_KEY', 'created', '/a/one/access'],
  ] as const)('of %s %s lead to %s', (kind, verb, path) => {
    expect(changeMessage({ ...change, kind, verb }, 'one', publicUrl).link).toBe(`${publicUrl}${path}`);
  });

  it('exist for every kind, and lead only to views of the console', () => {
    for (const kind of allKinds) {
      const { sentence, link } = changeMessage({ ...change, kind }, 'one', publicUrl);
      expect(sentence).toMatch(/^[A-Z][^_]+\.$/);
      expect(link ?? `${publicUrl}/`).toMatch(/^https:\/\/control\.example\.com\/(?:[wa]\/[a-z]+(?:\/[\w-]+){0,2})?$/);
    }
  });

  it('cannot mention, link or format in Slack with text of users', () => {
    const hostile = { ...change, name: '<!channel> & <https://evil.example.com|you>', message: '<@U1> "x"' };
    const payload = chatPayloads.slack(changeMessage(hostile, 'one', publicUrl));
    const { text, blocks, unfurl_links: unfurls } = JSON.parse(payload);
    expect(text).toContain('&lt;!channel&gt; &amp; &lt;https://evil.example.com|you&gt;');
    expect(payload).not.toMatch(/<[!@#]|<https:\/\/evil/);
    expect(unfurls).toBe(false);
    // Slack makes links of URLs, and mentions of names such as @here, unless a text is verbatim.
    expect(blocks[0].text.verbatim).toBe(true);
    for (const element of blocks[1].elements) expect(element.verbatim).toBe(true);
    const link = blocks[1].elements.at(-1).text;
    expect(link).toMatch(/^<https:\/\/control\.example\.com\/w\/acme\/agents\/[^<>|]+\|Open in the console>$/);
  });

  it('cannot be Markdown in Teams with text of users', () => {
    const hostile = { ...change, name: '[you](https://evil.example.com) **x** <at>all</at>' };
    const payload = JSON.parse(chatPayloads.teams(changeMessage(hostile, 'one', publicUrl)));
    const { contentType, content } = payload.attachments[0];
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(content.body.map(({ type }: { type: string }) => type)).toEqual(['RichTextBlock', 'RichTextBlock']);
    expect(content.body[0].inlines).toMatchObject([
      { type: 'TextRun', text: expect.stringContaining('[you](https://evil') },
    ]);
    expect(content.actions).toMatchObject([{ type: 'Action.OpenUrl' }]);
    expect(payload).not.toHaveProperty('attachments.0.content.msteams');
  });

  it('are not cut within a character', () => {
    for (const name of ['😀'.repeat(600), `x${'😀'.repeat(600)}`]) {
      const { sentence } = changeMessage({ ...change, name, message: name }, 'one', publicUrl);
      expect(sentence).not.toMatch(/\p{Cs}/u);
      expect(sentence.endsWith('…')).toBe(true);
    }
  });

  it('stay within the limits of the services', () => {
    const long = {
      ...change,
      name: '<'.repeat(5_000),
      message: '&'.repeat(50_000),
      fields: Array(500).fill('f'.repeat(200)),
    };
    const message = changeMessage(long, 'one', publicUrl);
    const { blocks } = JSON.parse(chatPayloads.slack(message));
    expect(blocks[0].text.text.length).toBeLessThanOrEqual(3_000);
    expect(blocks[1].elements.length).toBeLessThanOrEqual(10);
    expect(chatPayloads.teams(message).length).toBeLessThan(28 * 1024);
  });
});

const volume = (name: string) =>
  mutate(running.app, key, 'createAgent', 'agent { id }', { workspace: 'acme', metadata: { name }, spec: {} });

async function firstAt(path: string) {
  for (let tries = 0; tries < 200; tries++) {
    const [first] = receiver.at(path);
    if (first !== undefined) return first;
    await sleep(50);
  }
  throw new Error(`nothing was received at ${path}`);
}

/** The bodies that a webhook got, when they include a text. */
async function untilReceived(path: string, text: string): Promise<string> {
  for (let tries = 0; tries < 200; tries++) {
    const bodies = receiver
      .at(path)
      .map(({ body }) => body)
      .join('\n');
    if (bodies.includes(text)) return bodies;
    await sleep(50);
  }
  throw new Error(`${path} did not receive ${text}`);
}

describe('webhooks with a format', () => {
  it('send it, with the headers of signed requests', async () => {
    const filter = { kinds: ['AGENT'] };
    for (const format of ['SLACK', 'TEAMS', 'STANDARD']) {
      await makeWebhook(running.app, key, { url: `${receiver.origin}/${format}`, format, filter });
    }
    await volume('first');
    await whileDelivering(running.app, async () => {
      const slack = await firstAt('/SLACK');
      expect(slack.event).toMatchObject({
        text: 'Agent first in acme was created by owner@one.example.com.',
        blocks: [{ type: 'section', text: { type: 'mrkdwn' } }, { type: 'context' }],
      });
      expect(slack.body).toContain(`<${publicUrl}/w/acme/agents/first|Open in the console>`);
      expect(slack.headers['webhook-signature']).toMatch(/^v1,/);
      const teams = await firstAt('/TEAMS');
      expect(teams.event).toMatchObject({
        type: 'message',
        attachments: [{ content: { actions: [{ url: `${publicUrl}/w/acme/agents/first` }] } }],
      });
      expect((await firstAt('/STANDARD')).event).toMatchObject({ type: 'agent.created', payloadVersion: '1' });
    });
  });

  it('never have a secret', async () => {
    const secret = 'hidden-value-1';
    const workspace = 'acme';
    const { webhook } = await mutate(running.app, key, 'createWebhook', 'webhook { id }', {
      name: 'hidden-path',
      url: `${receiver.origin}/hidden-path`,
      filter: { names: ['none'] },
    });
    for (const format of ['SLACK', 'TEAMS']) {
      await makeWebhook(running.app, key, { url: `${receiver.origin}/secret-${format}`, format });
    }
    const envs = [{ name: 'TOKEN', value: secret, secret: true }];
    const metadata = { name: 'with-secret' };
    const spec = { runtime: { envs } };
    await mutate(running.app, key, 'createAgent', 'agent { id }', { workspace, metadata, spec });
    const changed = { runtime: { envs: [{ ...envs[0], value: 'hidden-value-2' }] } };
    await mutate(running.app, key, 'updateAgent', 'agent { id }', { workspace, name: metadata.name, spec: changed });
    const rotated = await mutate(running.app, key, 'rotateWebhookSecret', 'secret', { id: webhook.id });
    const url = `${receiver.origin}/hidden-path-2`;
    await mutate(running.app, key, 'updateWebhook', 'webhook { id }', { id: webhook.id, url });
    const made = await mutate(running.app, key, 'createApiKey', 'secret', { name: 'last', scopes: ['admin'] });
    await whileDelivering(running.app, async () => {
      for (const path of ['/secret-SLACK', '/secret-TEAMS']) {
        const bodies = await untilReceived(path, 'last');
        expect(bodies).toContain('with-secret');
        for (const hidden of ['hidden-value', 'hidden-path-2', rotated.secret, made.secret, 'whsec_']) {
          expect(bodies).not.toContain(hidden);
        }
      }
    });
  });

  it('send tests in it', async () => {
    const { id } = await makeWebhook(running.app, key, {
      url: `${receiver.origin}/test`,
      format: 'SLACK',
      name: 'a <b>',
    });
    await mutate(running.app, key, 'testWebhook', 'delivery { id }', { id });
    await whileDelivering(running.app, async () => {
      expect((await firstAt('/test')).event.text).toBe('This is a test of the webhook a &lt;b&gt;.');
    });
  });

  it('have the format STANDARD by default, and a change of it is recorded', async () => {
    const { id } = await makeWebhook(running.app, key, {
      url: `${receiver.origin}/changed`,
      filter: { names: ['none'] },
    });
    const read = async () => {
      const { body } = await graphql(
        running.app,
        key,
        'query ($id: ID!) { node(id: $id) { ... on Webhook { format version } } }',
        { id },
      );
      return body.data.node;
    };
    expect(await read()).toEqual({ format: 'STANDARD', version: 1 });
    await mutate(running.app, key, 'updateWebhook', 'webhook { id }', { id, format: 'TEAMS' });
    expect(await read()).toEqual({ format: 'TEAMS', version: 2 });
    await mutate(running.app, key, 'updateWebhook', 'webhook { id }', { id, name: 'other' });
    expect(await read()).toEqual({ format: 'TEAMS', version: 3 });
    const query = '{ changes(last: 2, filter: { kinds: [WEBHOOK], actions: [UPDATED] }) { nodes { fields after } } }';
    const { body } = await graphql(running.app, key, query);
    expect(body.data.changes.nodes).toMatchObject([
      { fields: ['format'], after: { format: 'teams' } },
      { fields: ['name'] },
    ]);
  });
});
