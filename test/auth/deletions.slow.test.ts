// A deletion returns the resource as it was: every mutation of the schema that deletes, with all fields of its payload.
import { beforeAll, describe, expect, it } from 'vitest';
import { Prisma } from '../../src/database/client/client.js';
import { createKey, graphql, useApp } from '../harness.js';
import { cases, inputOf, prepareCases, settingsOfCases } from './mutation-cases.js';
import { deletedField, documentOf, nodeDocumentOf } from './payload-selection.js';

const running = useApp({ ...settingsOfCases, RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_COST: '0' });
const inputs = new Map<string, object>();
let key = '';

/** An account that the caller is not a member of cannot be read by its id. */
const unreadable = ['deleteAccount'];

const deletions = Object.entries(cases).flatMap(([mutation, each]) => {
  const field = mutation.startsWith('delete') && !unreadable.includes(mutation) ? deletedField(mutation) : undefined;
  return field === undefined ? [] : [{ mutation, field, each }];
});

beforeAll(async () => {
  const { tenant } = await prepareCases(running.app);
  // Before any request: what a caller can access is cached briefly.
  for (const [index, { mutation, each }] of deletions.entries())
    inputs.set(mutation, await inputOf(each, `deleted${index}`));
  await reportOnAll();
  ({ key } = await createKey(running.app, tenant));
});

/** The tables of the resources that executors report on. */
const reported = ['agent', 'sandbox', 'job', 'job_execution', 'volume', 'vpc', 'egress_gateway'];

/** Adds reports of an executor that is now revoked, so that no deletion waits for it. */
async function reportOnAll(): Promise<void> {
  const { db } = running.app.services;
  const row = { name: 'former', regions: ['*'], kinds: ['AGENT'], prefix: 'wcx_', hash: Buffer.from('former') };
  const { id } = await db.executor.create({ data: { ...row, revokedAt: new Date(), lastSeenAt: new Date() } });
  for (const table of reported) {
    const task = table === 'job_execution' ? 'task-0' : '';
    const [wanted, phase] = task === '' ? ['deploy', 'DEPLOYED'] : ['run', 'SUCCEEDED'];
    await db.$executeRaw`
      INSERT INTO "assignment" ("kind", "resource_id", "task", "account_id", "workspace_id", "workspace", "wanted", "phase",
        "fence", "executor_id", "logs_url", "instances", "restarts")
      SELECT ${table.toUpperCase()}, r."id", ${task}, w."account_id", w."id", w."name", ${wanted}, ${phase}, 1, ${id}::uuid,
        'https://logs.example.com/' || r."id", 3, 2
      FROM ${Prisma.raw(`"${table}"`)} AS r JOIN "workspace" AS w ON w."id" = r."workspace_id"`;
  }
}

/** A value without the fields of these names, at any depth. */
function without(names: string[], value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, each: unknown) => (names.includes(name) ? undefined : each));
}

/** The fields that the deletion changes. */
const changed = ['deletedAt', 'events'];

/** Fields of a workspace that are read again for a repeated request, and refused: the workspace no longer exists. */
const refused = ['overview', 'quotas'];

describe.each(deletions)('$mutation', ({ mutation, field }) => {
  it('returns the resource as it was, also in a dry run', async () => {
    const input = inputs.get(mutation);
    const remove = (more: object) =>
      graphql(
        running.app,
        key,
        documentOf(mutation),
        { input: { ...input, ...more } },
        { 'idempotency-key': mutation },
      );
    const dry = (await remove({ validateOnly: true })).body.data.result[field];
    const { id } = dry;
    const before = (await graphql(running.app, key, nodeDocumentOf(mutation, field), { id })).body.data.node;
    const deleted = (await remove({})).body.data.result[field];
    expect(dry).toEqual(deleted);
    expect(without(changed, deleted)).toEqual(without(changed, before));
    const repeated = (await remove({})).body.data.result[field];
    expect(without(refused, repeated)).toEqual(without(refused, deleted));
    const { body } = await graphql(running.app, key, nodeDocumentOf(mutation, field), { id });
    expect(body.data.node).toBeNull();
  });
});
