// The history of the demo beside the one that the service writes: each change of a resource in the history is made again
// through the API, by the same user at the same time, and each report by an executor. All must be possible, and both change
// logs must say the same.
import { beforeAll, expect, it, vi } from 'vitest';
import { addMembers } from '../../src/demo/access.js';
import { loadAccount } from '../../src/demo/accounts.js';
import { dataPlane } from '../../src/demo/actors.js';
import { demoAccounts, demoOwner, mainWorkspace, platformAccount } from '../../src/demo/company.js';
import { demoConfiguration } from '../../src/demo/configuration.js';
import { loadDemo } from '../../src/demo/load.js';
import { idOf } from '../../src/demo/random.js';
import { createFrom, remove, updateFrom } from '../../src/manifests/change-resources.js';
import type { Changed } from '../../src/manifests/change-resources.js';
import { readDocument } from '../../src/manifests/document.js';
import type { Document } from '../../src/manifests/document.js';
import { openGateway } from '../../src/manifests/gateway.js';
import type { Gateway } from '../../src/manifests/gateway.js';
import { replaceConfiguration } from '../../src/resources/configuration/configuration-input.js';
import { createKey, frozenNow, useApp } from '../harness.js';
import type { TestApp } from '../harness.js';
import { anExecutor } from '../lifecycle/executor.js';
import type { TestExecutor } from '../lifecycle/executor.js';
import { mutate } from '../resources/mutations.js';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

const demo = useApp();
const service = useApp({ RATE_LIMIT_REQUESTS: '0', RATE_LIMIT_COST: '0' }, { ownDatabase: true });
let executor: TestExecutor;
/** The clients of the users and service accounts, by name. */
const clients = new Map<string, Gateway>();

interface State {
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
}

interface Recorded {
  accountId: string;
  kind: string;
  resourceId: string;
  name: string;
  verb: 'created' | 'updated' | 'status' | 'deleted';
  version: number;
  time: Date;
  actorKind: string;
  actorName: string;
  fields: string[];
  before: State | null;
  after: State | null;
  type: string;
  status: string;
  message: string;
  revision: string | null;
}

/** What users and executors did to resources, in the order of time. */
async function historyOf({ services: { db } }: TestApp): Promise<Recorded[]> {
  return db.$queryRaw<Recorded[]>`
    SELECT "account_id"::text AS "accountId", "kind", "resource_id"::text AS "resourceId", "name", "verb", "version", "time",
      "actor_kind" AS "actorKind", "actor_name" AS "actorName", "fields", "before", "after", "type", "status", "message", "revision"
    FROM "change"
    WHERE "kind" IN ('AGENT', 'SANDBOX', 'SANDBOX_PREVIEW', 'JOB', 'VOLUME', 'VPC', 'EGRESS_GATEWAY', 'EGRESS_IP')
    ORDER BY "time", "account_id", "sequence"`;
}

beforeAll(async () => {
  const { db, encryption, inferenceUrl } = demo.app.services;
  await loadDemo(db, encryption, { end: frozenNow, inferenceUrl });
  const { app } = service;
  await app.services.db.$transaction(async (tx) => {
    const { encryption, inferenceUrl } = app.services;
    for (const account of demoAccounts) {
      await loadAccount(tx, account, frozenNow);
      await addMembers({ tx, encryption, inferenceUrl, end: frozenNow }, account);
    }
    await replaceConfiguration(tx, demoConfiguration);
  });
  executor = await anExecutor(app, dataPlane);
  for (const { name: account, principals } of demoAccounts) {
    for (const { name } of principals) {
      const { key } = await createKey(app, { accountId: idOf(account), principalId: idOf(name) });
      clients.set(name, openGateway({ server: app.origin, key: async () => key, pause: async () => {} }));
    }
  }
});

/** The manifest of a resource in a state. @param isNew whether it needs the secrets that the state masks */
function documentOf({ kind, name }: Recorded, { metadata, spec = {} }: State, isNew: boolean): Document {
  const { workspace, resourceName: sandbox, vpcName: vpc, gatewayName: gateway } = metadata;
  const text = JSON.stringify({ kind, workspace, sandbox, vpc, gateway, metadata: { ...metadata, name }, spec });
  const read = readDocument(JSON.parse(isNew ? unmasked(text) : text), { file: kind, document: 1 }, undefined);
  if ('problems' in read) throw new Error(`${kind} ${name}: ${JSON.stringify(read.problems)}`);
  return read.document;
}

/** The service generates the secrets of callbacks. */
function unmasked(text: string): string {
  return text
    .replaceAll(/"callbackSecret":"\*\*\*",?/g, '')
    .replaceAll('"callbackUrl":"***"', '"callbackUrl":"https://hooks.example.com/done"')
    .replaceAll('"***"', '"secret"');
}

/** Makes a change again. @param last the last state of the resource that a user wrote */
async function change(record: Recorded, last: State | undefined): Promise<Changed> {
  const { verb, version, before, after, actorName } = record;
  const client = clients.get(actorName);
  if (client === undefined) throw new Error(`Nobody has the name ${actorName}.`);
  if (verb === 'created' && after !== null)
    return createFrom(client, documentOf(record, after, true), { isDryRun: false });
  if (verb === 'updated' && before !== null && after !== null) {
    const current = { ...documentOf(record, before, false), version: version - 1 };
    return updateFrom(client, documentOf(record, after, false), current, false);
  }
  if (last === undefined) throw new Error(`${record.name} is deleted before it is created.`);
  return remove(client, { ...documentOf(record, last, false), version }, false);
}

const claims = new Map<string, { id: string; fence: number }>();
const unsettled = new Set(['BUILDING', 'BUILT', 'DEPLOYING']);

/** Makes a report again. @param id of the resource */
async function report({ status, message, revision, fields }: Recorded, id: string): Promise<object> {
  if (!claims.has(id)) {
    const { assignments } = await executor.claim({ first: 100, leaseSeconds: 3_600 });
    for (const { resourceId, ...claim } of assignments) claims.set(resourceId, claim);
  }
  const claim = claims.get(id);
  if (claim === undefined) return { code: 'nothing to report on' };
  if (!unsettled.has(status)) claims.delete(id);
  const address = fields.includes('spec.url') ? 'https://example.com' : '203.0.113.9';
  return executor.report(claim, { state: status, message, revision, address, leaseSeconds: 3_600 });
}

/** The records of each resource, without what is random. */
function byResource(records: readonly Recorded[], idIn: (id: string) => string): Map<string, object[]> {
  const found = new Map<string, object[]>();
  for (const { accountId: _account, resourceId, ...record } of records) {
    const given = JSON.stringify(record).replaceAll(/"(url|publicIp)":"[^"]*"/g, '"$1":""');
    const id = idIn(resourceId);
    found.set(id, [...(found.get(id) ?? []), JSON.parse(given)]);
  }
  return found;
}

it('The history of the demo is what the service writes when users and executors do the same', async () => {
  const { services, clock } = service.app;
  const history = await historyOf(demo.app);
  const ids = new Map<string, string>();
  const states = new Map<string, State>();
  const refused: object[] = [];
  for (const record of history) {
    const { accountId, resourceId, kind, name, verb, after } = record;
    clock.now = record.time;
    const answer =
      record.actorKind === 'executor'
        ? await report(record, ids.get(resourceId) ?? '')
        : await change(record, states.get(resourceId));
    if ('refusal' in answer || 'code' in answer) refused.push({ kind, name, verb, answer });
    if (after?.spec !== undefined) states.set(resourceId, after);
    if (verb !== 'created') continue;
    const newest = { where: { accountId }, orderBy: { sequence: 'desc' } } as const;
    ids.set(resourceId, (await services.db.change.findFirstOrThrow(newest)).resourceId ?? '');
  }
  expect(refused).toEqual([]);
  expect(history.length).toBeGreaterThan(1_500);
  const made = byResource(await historyOf(service.app), (id) => id);
  for (const [id, told] of byResource(history, (each) => ids.get(each) ?? '')) expect(made.get(id)).toEqual(told);
});

const tables = [
  'agent', 'sandbox', 'sandbox_preview', 'job', 'job_execution', 'volume', 'image', 'image_tag', 'vpc', 'egress_gateway',
  'egress_ip', 'change',
]; // prettier-ignore

/** The columns that at least one row has. */
async function columnsWithValues({ services: { db } }: TestApp): Promise<string[]> {
  const filled: string[] = [];
  for (const table of tables) {
    const columns = await db.$queryRawUnsafe<{ name: string }[]>(
      `SELECT DISTINCT k."name" FROM "${table}" AS t, json_object_keys(json_strip_nulls(row_to_json(t))) AS k("name") ORDER BY 1`,
    );
    filled.push(...columns.map(({ name }) => `${table}.${name}`));
  }
  return filled;
}

it('Nothing in the demo has a field that the service never fills in', async () => {
  const { app } = service;
  const owner = { accountId: idOf(platformAccount), principalId: idOf(demoOwner) };
  const { key } = await createKey(app, owner);
  const inMain = { workspace: mainWorkspace };
  const tag = { name: 'r1', size: 1 };
  const spec = { region: 'eu-frankfurt-1', runtime: { memory: 512, image: 'night-count:r1' } };
  const change = (mutation: string, input: object) => mutate(app, key, mutation, '__typename', { ...inMain, ...input });
  await change('registerImageTag', { resourceType: 'JOBS', imageName: 'night-count', displayName: 'Night count', tag });
  await change('createJob', { metadata: { name: 'night-count' }, spec });
  const [deployment] = (await executor.claim({ first: 100 })).assignments.slice(-1);
  await executor.report(deployment, { state: 'DEPLOYED' });
  await change('runJob', { name: 'night-count', memoryOverride: 1024, envOverride: { DATE: 'today' }, tasks: [{}] });
  const [task] = (await executor.claim({ first: 100 })).assignments.slice(-1);
  await executor.report(task, { state: 'RUNNING' });
  await executor.report(task, { state: 'SUCCEEDED' });
  const byService = await columnsWithValues(app);
  const onlyInDemo = (await columnsWithValues(demo.app)).filter((column) => !byService.includes(column));
  // The demo shares images with the functions of the service, and has denied requests.
  expect(onlyInDemo).toEqual(['image.source_workspace', 'change.count']);
});
