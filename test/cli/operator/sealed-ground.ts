// A tenant that has something sealed in every table that keeps it, and what of that can be seen from outside.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { Prisma } from '../../../src/database/client/client.js';
import { allSealedRows } from '../../../src/server/encrypted-rows.js';
import type { Database } from '../../../src/database/open.js';
import type { RowSeal, Seal } from '../../../src/encryption.js';
import { issueAccessToken } from '../../../src/auth/access-token.js';
import { tokenSettings } from '../../../src/server/create-services.js';
import { createKey, createTenant, graphql } from '../../harness.js';
import type { Tenant, TestApp } from '../../harness.js';
import { anExecutor } from '../../lifecycle/executor.js';
import { mutate } from '../../resources/mutations.js';

export const workspace = 'main';

const secretEnv = (value: string) => ({ runtime: { envs: [{ name: 'TOKEN', value, secret: true }] } });

export interface SealedGround {
  tenant: Tenant;
  key: string;
  /** Sent under an Idempotency-Key when the ground was made, and what it answered. */
  replay: { idempotencyKey: string; query: string; answer: string };
  callbackSecret: string;
}

export async function sealedGround(app: TestApp): Promise<SealedGround> {
  const tenant = await createTenant(app, { account: 'acme', workspaces: [workspace] });
  const { key } = await createKey(app, tenant);
  const change = async (mutation: string, fields: string, input: object) => {
    const result = await mutate(app, key, mutation, fields, { workspace, ...input });
    expect(result.__typename).toBe(`${mutation.charAt(0).toUpperCase()}${mutation.slice(1)}Payload`);
    return result;
  };
  const agentSpec = {
    ...secretEnv('of the agent'),
    triggers: [{ id: 'hook', type: 'HTTP_ASYNC', configuration: { path: '/hook' } }],
  };
  await change('createAgent', 'agent { id }', { metadata: { name: 'agent' }, spec: agentSpec });
  await change('createSandbox', 'sandbox { id }', { metadata: { name: 'sandbox' }, spec: secretEnv('of the sandbox') });
  const executor = await anExecutor(app, 'first', { kinds: ['JOB'] });
  await change('createJob', 'job { id }', { metadata: { name: 'job' }, spec: secretEnv('of the job before') });
  const { assignments } = await executor.claim();
  await executor.report(assignments[0], { state: 'DEPLOYED' });
  await change('updateJob', 'job { id }', { name: 'job', spec: secretEnv('of the job') });
  await change('runJob', 'jobExecution { id }', { jobName: 'job', envOverride: { OVER: 'of the execution' } });
  const { webhook } = await change('createWebhook', 'webhook { id }', {
    name: 'hook',
    url: 'https://example.com/hook',
  });
  await mutate(app, key, 'rotateWebhookSecret', 'secret', { id: webhook.id });
  const query = `mutation { createSandbox(input: {workspace: "${workspace}", metadata: {name: "again"}}) {
    ... on CreateSandboxPayload { sandbox { id } } ... on Error { message } } }`;
  const idempotencyKey = randomUUID();
  const { body } = await graphql(app, key, query, {}, { 'idempotency-key': idempotencyKey });
  expect(body.data.createSandbox.sandbox.id).toBeTruthy();
  const replay = { idempotencyKey, query, answer: JSON.stringify(body.data) };
  await issueAccessToken(app.services.db, app.services.seal, tokenSettings(app.config), {
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

export interface SealedValue {
  table: string;
  purpose: string;
  text: string;
  /** Undefined when it does not open for the row that it stands in. */
  content: string | undefined;
  isCurrent: boolean;
}

/** Every sealed value of the database, as a process with these secrets sees it. */
export async function sealedValues(db: Database, seal: Seal): Promise<SealedValue[]> {
  const values: SealedValue[] = [];
  await eachSealed(db, seal, (table, row, purpose, text) => {
    values.push({ table, purpose, text, content: row.open(purpose, text), isCurrent: row.isCurrent(purpose, text) });
    return text;
  });
  return values;
}

/** Has every value be as it was before values were bound to rows. */
export async function unbindAll(db: Database, seal: Seal): Promise<void> {
  await eachSealed(db, seal, (_table, row, purpose, text) => seal.seal(purpose, row.open(purpose, text) ?? ''));
}

async function eachSealed(
  db: Database,
  seal: Seal,
  act: (table: string, row: RowSeal, purpose: string, text: string) => string,
): Promise<void> {
  for (const { table, key, columns, beside, ownerOf } of allSealedRows) {
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
        const ofRow = seal.ofRow(owner.table, owner.key);
        const text = translated(row.text, (purpose, sealed) => act(table, ofRow, purpose, sealed));
        await db.$executeRaw(Prisma.sql`
          UPDATE ${name} AS r SET ${Prisma.raw(`"${of}"`)} = ${write(text)} WHERE array[${keys}] = ${row.key}::text[]`);
      }
    }
  }
}
