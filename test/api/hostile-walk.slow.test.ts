// Walks the GraphQL schema and the OpenAPI document: ten thousand invalid values for each argument, input field,
// parameter and header. Every request gets a short response, and /healthz stays available.
import { beforeAll, describe, expect, it } from 'vitest';
import { insertJobs } from '../../src/demo/rows/job-input.js';
import { insertPreviews, insertSandboxes } from '../../src/demo/rows/sandbox-input.js';
import { addAgents, anAgent, createKey, createTenant, frozenNow, graphql, useApp } from '../harness.js';
import { addPlatform, aPreview } from '../platform.js';
import { existingName, walkSchema } from './graphql/schema-walk.js';
import { walkOperations } from './rest/openapi-walk.js';

/** Processor time of the gateway and the test for one request, for what grows without a bound: most need a few milliseconds. */
const cpuMsMax = 20_000;
const answerLengthMax = 4_000;

const running = useApp();
let key: string;

beforeAll(async () => {
  const { app } = running;
  const tenant = await createTenant(app, { account: existingName, workspaces: [existingName] });
  ({ key } = await createKey(app, tenant));
  const workspaceId = tenant.workspaces[existingName] ?? '';
  await addPlatform(app, workspaceId, 'one');
  const { db, encryption } = app.services;
  const times = { createdAt: frozenNow.toISOString(), updatedAt: frozenNow.toISOString() };
  const metadata = { name: existingName, ...times };
  const id = '6c2f3a54-9d41-4a0e-8a53-0b8f5f6a2c11';
  await addAgents(app, workspaceId, [anAgent(existingName)]);
  await insertSandboxes(db, encryption, workspaceId, [{ id, metadata, spec: {}, status: 'DEPLOYED' }]);
  await insertPreviews(db, encryption, workspaceId, [aPreview(id, existingName)]);
  await insertJobs(db, encryption, workspaceId, [{ metadata, spec: {}, status: 'DEPLOYED' }]);
});

interface Received {
  status: number;
  text: string;
}

/** A subscription that is accepted is a stream, which is not read. */
async function send(path: string, init: RequestInit): Promise<Received> {
  const headers = { authorization: `Bearer ${key}`, ...init.headers };
  const response = await fetch(`${running.app.origin}${path}`, { ...init, headers });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (isStream) await response.body?.cancel();
  return { status: response.status, text: isStream ? '' : await response.text() };
}

/** Problems of the response to a hostile request. @param refusedField the field that the error must name */
async function faultsOf(path: string, init: RequestInit, refusedField: string | undefined): Promise<string[]> {
  const before = process.cpuUsage();
  const [{ status, text }, health] = await Promise.all([send(path, init), send('/healthz', {})]);
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  const faults: string[] = [];
  if (status >= 500 || /internal_error|INTERNAL/.test(text)) faults.push(`status ${status}: ${text.slice(0, 200)}`);
  if (health.status !== 200) faults.push(`/healthz has status ${health.status}`);
  if (text.length > answerLengthMax) faults.push(`an answer of ${text.length} characters`);
  if (cpuMs > cpuMsMax) faults.push(`${cpuMs} ms of processor time`);
  if (refusedField !== undefined && !(/"message":"[^"]/.test(text) && text.includes(refusedField))) {
    faults.push(`no error that names ${refusedField}: ${text.slice(0, 200)}`);
  }
  return faults;
}

describe('Ten thousand wrong entries', () => {
  it.each(walkSchema())('in the arguments of $field are rejected briefly', async ({ document, hostile }) => {
    const broken: string[] = [];
    for (const { what, variables, refusedField } of hostile) {
      const body = JSON.stringify({ query: document, variables });
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
      for (const fault of await faultsOf('/graphql', init, refusedField)) broken.push(`${what}: ${fault}`);
    }
    expect(broken).toEqual([]);
  });

  it.each(walkOperations())('in a request of $operation are rejected briefly', async ({ hostile }) => {
    const broken: string[] = [];
    for (const { what, path, init, refusedField } of hostile) {
      for (const fault of await faultsOf(path, init, refusedField)) broken.push(`${what}: ${fault}`);
    }
    expect(broken).toEqual([]);
  });

  it('have no effect', async () => {
    const { db } = running.app.services;
    const counts = [db.agent.count(), db.sandbox.count(), db.job.count(), db.webhook.count(), db.budget.count()];
    expect(await Promise.all(counts)).toEqual([2, 2, 2, 0, 0]);
    expect((await graphql(running.app, key, '{ viewer { name } }')).body.errors).toBeUndefined();
  });
});
