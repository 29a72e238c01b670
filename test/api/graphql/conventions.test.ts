// The requests of docs/graphql.md and their responses. After a change: npx vitest run test/api/graphql/conventions.test.ts -u
import { beforeAll, describe, expect, it } from 'vitest';
import { watch } from '../../changes/event-stream.js';
import { addAgents, anAgent, createKey, createTenant, frozenNow, useApp } from '../../harness.js';
import type { Tenant } from '../../harness.js';
import { expectResponses } from '../../page-responses.js';

const running = useApp();
let owner: Tenant;
let admin: string;

beforeAll(async () => {
  const { app } = running;
  owner = await createTenant(app, { account: 'meridian', workspaces: ['production'] });
  ({ key: admin } = await createKey(app, owner));
  const minutesAgo = (minutes: number) => new Date(frozenNow.getTime() - minutes * 60_000).toISOString();
  const agent = (index: number, name: string, region: string, tier: string) => {
    const [createdAt, updatedAt] = [minutesAgo(index), minutesAgo(index)];
    const id = `00000000-0000-4000-8000-00000000000${index}`;
    return anAgent(name, { metadata: { createdAt, updatedAt, labels: { tier } }, spec: { region }, id });
  };
  await addAgents(app, owner.workspaces['production'], [
    agent(1, 'invoice-parser', 'eu-frankfurt-1', 'gold'),
    { ...agent(2, 'claims-triage', 'eu-frankfurt-1', 'silver'), status: 'FAILED' },
    agent(3, 'route-planner', 'us-dallas-1', 'gold'),
    agent(4, 'fraud-watch', 'us-dallas-1', 'silver'),
  ]);
});

/** Texts that differ each time. */
const opaque: Record<string, string> = { endCursor: 'b3BhcXVlIGN1cnNvcg', requestId: '0b6e4c1f5d7a4e2c' };

function withoutOpaque(body: object): object {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    typeof value === 'string' ? (opaque[name] ?? value) : value,
  );
}

/** Sends a request of the page. Comments at its start give headers, extensions and the scope of the key. */
async function ask(query: string): Promise<object> {
  const given = (name: string) => new RegExp(`^# ${name}: (.*)$`, 'm').exec(query)?.[1];
  const scope = given('Scope');
  const key = scope === undefined ? admin : (await createKey(running.app, { ...owner, scope })).key;
  if (query.startsWith('subscription')) return firstEvent(query);
  const idempotencyKey = given('Idempotency-Key');
  const extensions = given('Extensions');
  const send = async () => {
    const response = await fetch(`${running.app.origin}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({ query, ...(extensions === undefined ? {} : { extensions: JSON.parse(extensions) }) }),
    });
    return response.json();
  };
  const body = await send();
  const again = idempotencyKey === undefined ? body : await send();
  expect(again).toEqual(body);
  const { data, errors } = body;
  return extensions === undefined ? { data, errors } : body;
}

async function firstEvent(query: string): Promise<object> {
  const client = await watch(running.app, admin, query);
  const create = `mutation { createAgent(input: { workspace: "production", metadata: { name: "report-writer" }, spec: {} }) { __typename } }`;
  await ask(create);
  const event = await client.next();
  client.leave();
  return { data: event?.data.data };
}

describe('docs/graphql.md', () => {
  it('contains the response of each request', async () => {
    const request = /^```graphql\n(.*?)^```\n\n/;
    await expectResponses('graphql.md', request, async (query) => withoutOpaque(await ask(query)));
  });
});
