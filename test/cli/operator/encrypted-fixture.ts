// A tenant with an encrypted value in every table that has them, and how a client sees these values.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { Prisma } from '../../../src/database/client/client.js';
import { allEncryptedRows } from '../../../src/server/encrypted-rows.js';
import type { Database } from '../../../src/database/open.js';
import { isInClear } from '../../../src/encryption.js';
import type { RowEncryption, Encryption } from '../../../src/encryption.js';
import { issueAccessToken } from '../../../src/auth/access-token.js';
import { tokenSettings } from '../../../src/server/create-services.js';
import { createKey, createTenant, graphql } from '../../harness.js';
import type { Tenant, TestApp } from '../../harness.js';
import { anExecutor } from '../../lifecycle/executor.js';
import { mutate } from '../../resources/mutations.js';

export const workspace = 'main';

const secretEnv = (value: string) => ({ runtime: { envs: [{ name: 'TOKEN', value, secret: true }] } });

export interface EncryptedFixture {
  tenant: Tenant;
  key: string;
  /** Sent with an Idempotency-Key when the fixture was created, and its response. */
  replay: { idempotencyKey: string; query: string; answer: string };
  callbackSecret: string;
}

export async function createEncryptedFixture(app: TestApp): Promise<EncryptedFixture> {
  const tenant = await createTenant(app, { account: 'acme', workspaces: [workspace] });
  const { key } = await createKey(app, tenant);
  const change = async (mutation: string, fields: string, input: object) => {
    const result = await mutate(app, key, mutation, fields, { workspace, ...input });
    expect(result.__typename).toBe(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`);
    return result;
  };
  const agentSpec = {
    ...secretEnv('of the agent'),
    triggers: [
      {
        id: 'hook',
        type: 'HTTP_ASYNC',
        configuration: { path: '/hook', callbackUrl: 'https://example.com/of-the-callback' },
      },
    ],
  };
  await change('createAgent', 'agent { id }', { metadata: { name: 'agent' }, spec: agentSpec });
  await change('createSandbox', 'sandbox { id }', { metadata: { name: 'sandbox' }, spec: secretEnv('of the sandbox') });
  await change('createSandboxPreview', 'sandboxPreview { id }', {
    sandboxName: 'sandbox',
    metadata: { name: 'preview' },
    spec: { requestHeaders: { authorization: 'of the request' }, responseHeaders: { cookie: 'of the response' } },
  });
  const executor = await anExecutor(app, 'first', { kinds: ['JOB'] });
  await change('createJob', 'job { id }', { metadata: { name: 'job' }, spec: secretEnv('of the job before') });
  const { assignments } = await executor.claim();
  await executor.report(assignments[0], { state: 'DEPLOYED' });
  await change('updateJob', 'job { id }', { name: 'job', spec: secretEnv('of the job') });
  await change('runJob', 'jobExecution { id }', { name: 'job', envOverride: { OVER: 'of the execution' } });
  const { webhook } = await change('createWebhook', 'webhook { id }', {
    name: 'hook',
    url: 'https://example.com/of-the-webhook',
  });
  await mutate(app, key, 'rotateWebhookSecret', 'secret', { id: webhook.id });
  const query = `mutation { createSandbox(input: {workspace: "${workspace}", metadata: {name: "again"}}) {
    ... on CreateSandboxPayload { sandbox { id } } ... on Error { message } } }`;
  const idempotencyKey = randomUUID();
  const { body } = await graphql(app, key, query, {}, { 'idempotency-key': idempotencyKey });
  expect(body.data.createSandbox.sandbox.id).toBeTruthy();
  const replay = { idempotencyKey, query, answer: JSON.stringify(body.data) };
  await issueAccessToken(app.services.db, app.services.encryption, tokenSettings(app.config), {
    principalId: tenant.principalId,
    accountId: tenant.accountId,
    workspaceId: null,
    scope: 'admin',
    clientId: 'test',
    now: app.clock.now,
  });
  return { tenant, key, replay, callbackSecret: await callbackSecretOf(app, key) };
}

export async function callbackSecretOf(app: TestApp, key: string, name = 'agent'): Promise<string> {
  const query = `{ agent(workspace: "${workspace}", name: "${name}") { spec { triggers { configuration { callbackSecret } } } } }`;
  const { body } = await graphql(app, key, query);
  return body.data.agent.spec.triggers[0].configuration.callbackSecret;
}

export interface EncryptedValue {
  table: string;
  purpose: string;
  text: string;
  /** Undefined if it cannot be decrypted for its row. */
  content: string | undefined;
  isCurrent: boolean;
}

/** Every encrypted value of the database, decrypted with these secrets. */
export async function encryptedValues(db: Database, encryption: Encryption): Promise<EncryptedValue[]> {
  const values: EncryptedValue[] = [];
  await eachEncrypted(db, encryption, (table, row, purpose, text) => {
    values.push({ table, purpose, text, content: row.open(purpose, text), isCurrent: row.isCurrent(purpose, text) });
    return text;
  });
  return values;
}

/** Has every value be as it was before values were bound to rows, and before values of some purposes were encrypted. */
export async function unbindAll(db: Database, encryption: Encryption): Promise<void> {
  await eachEncrypted(db, encryption, (_table, row, purpose, text) => {
    const content = row.decrypt(purpose, text) ?? '';
    return isInClear(purpose, content) ? content : encryption.encrypt(purpose, content);
  });
}

async function eachEncrypted(
  db: Database,
  encryption: Encryption,
  act: (table: string, row: RowEncryption, purpose: string, text: string) => string,
): Promise<void> {
  for (const { table, key, columns, beside, ownerOf } of allEncryptedRows) {
    const name = Prisma.raw(`"${table}"`);
    const column = (of: string) => Prisma.raw(`r."${of}"`);
    const keys = Prisma.join(key.map((each) => Prisma.sql`${column(each.name)}::text`));
    const others = Prisma.join([Prisma.sql`''`, ...beside.map((each) => Prisma.sql`${column(each)}::text`)]);
    for (const { name: of, read, write, translated } of columns) {
      const rows: { key: string[]; beside: string[]; text: string }[] = JSON.parse(
        await db.$text(Prisma.sql`
          SELECT coalesce(json_agg(json_build_object('key', json_build_array(${keys}), 'beside', json_build_array(${others}),
            'text', ${read(column(of))})), '[]')::text FROM ${name} AS r WHERE ${column(of)} IS NOT NULL`),
      );
      for (const row of rows) {
        const owner = ownerOf({ key: row.key, beside: row.beside.slice(1) });
        if (owner === undefined) continue;
        const ofRow = encryption.ofRow(owner.table, owner.key);
        const text = translated(row.text, (purpose, encryptedText) => act(table, ofRow, purpose, encryptedText));
        await db.$executeRaw(Prisma.sql`
          UPDATE ${name} AS r SET ${Prisma.raw(`"${of}"`)} = ${write(text)} WHERE array[${keys}] = ${row.key}::text[]`);
      }
    }
  }
}
