// Jobs created, updated, run and deleted through GraphQL, and their executions cancelled and deleted: validation,
// expected versions, and change records.
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertExecutions } from '../../../src/demo/rows/job-input.js';
import type { ExecutionStatus } from '../../../src/resources/jobs/execution.js';
import { encodeGlobalId } from '../../../src/api/graphql/global-id.js';
import { createKey, createTenant, createToken, frozenNow, graphql, rest, useApp } from '../../harness.js';
import type { Answer, Tenant } from '../../harness.js';
import { anExecution } from '../../platform.js';
import {
  addRegions,
  historyOf,
  keyOfSomebody,
  mutate,
  problemsOf,
  startedInTurn,
  statementsDuring,
} from '../mutations.js';

const running = useApp();
let tenant: Tenant;
let key: string;
let count = 0;
let main: string;
let owner: string;

beforeAll(() => addRegions(running.app));

async function freshTenant(): Promise<void> {
  const mark = `m${count++}`;
  main = `${mark}-main`;
  owner = `owner@${mark}.example.com`;
  tenant = await createTenant(running.app, { account: mark, workspaces: [main] });
  ({ key } = await createKey(running.app, tenant));
}

const jobFields = `id version status metadata { name displayName externalId labels { key value } createdBy updatedBy }
  events { type status message }
  spec { enabled region parallelism maxRetries timeout runtime { memory image envs { name value secret } } }`;
const executionFields = `id version status
  metadata { id jobName workspaceName cluster createdAt updatedAt startedAt completedAt expiredAt deletedAt }
  spec { envOverride memoryOverride parallelism timeout }
  stats { total running success failure cancelled retried }
  tasks { metadata { name createdAt completedAt } spec { maxRetries timeout } conditions { type } }`;

const ofExecution = (name: string) => name === 'runJob' || name.endsWith('Execution');

async function change(name: string, input: object, by = key): Promise<Answer['body']> {
  const fields = ofExecution(name) ? `jobExecution { ${executionFields} }` : `job { ${jobFields} }`;
  return mutate(running.app, by, name, fields, { ...(!('id' in input) && { workspace: main }), ...input });
}

const history = () => historyOf(running.app, tenant);
const idOf = ({ jobExecution }: Answer['body']): string => jobExecution.metadata.id;
const execution = (id: string) => ({ id: encodeGlobalId('JobExecution', id) });

/** All jobs and executions of a workspace in the view of a caller. */
async function everything(): Promise<Answer['body']> {
  const query = `{ jobs(workspace: "${main}", orderBy: { field: NAME, direction: ASC }, first: 5) { totalCount nodes { ${jobFields}
    executions(first: 5) { totalCount nodes { ${executionFields} } } } } }`;
  const { body } = await graphql(running.app, key, query);
  expect(body.errors).toBeUndefined();
  return body.data.jobs;
}

/** An execution of a job, in a state that nothing here leads to yet. */
async function addExecution(status: ExecutionStatus, id = randomUUID()): Promise<string> {
  const { db, encryption } = running.app.services;
  const workspaceId = tenant.workspaces[main] ?? '';
  const { id: jobId } = await db.job.findFirstOrThrow({ where: { workspaceId, name: 'import' } });
  await insertExecutions(db, encryption, workspaceId, [{ ...anExecution(jobId, id), status }]);
  return id;
}

let over: string;

/** A job `import` with an execution that is over. */
async function addImport(): Promise<void> {
  await change('createJob', { metadata: { name: 'import' }, spec: { maxRetries: 2, parallelism: 3, timeout: 600 } });
  over = idOf(await change('runJob', { name: 'import' }));
  await change('cancelJobExecution', execution(over));
}

const mutations = [
  { name: 'createJob', scope: 'jobs:create', input: () => ({ metadata: { name: 'new' } }) },
  { name: 'updateJob', scope: 'jobs:update', input: () => ({ name: 'import', metadata: { displayName: 'Job' } }) },
  { name: 'deleteJob', scope: 'jobs:delete', input: () => ({ name: 'import' }) },
  { name: 'runJob', scope: 'jobs:update', input: () => ({ name: 'import', memoryOverride: 64 }) },
  { name: 'cancelJobExecution', scope: 'jobs:update', input: () => execution(waiting) },
  { name: 'deleteJobExecution', scope: 'jobs:update', input: () => execution(over) },
];
const payload = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}Payload`;
let waiting: string;

// Rejected requests change nothing, so all of them can be tested in one tenant before the change.
describe.each(mutations)('$name', ({ name, scope, input }) => {
  let stranger: Tenant;
  let before: number;
  let would: Answer['body'];

  beforeAll(async () => {
    await freshTenant();
    await addImport();
    waiting = idOf(await change('runJob', { name: 'import' }));
    before = (await history()).length;
    stranger = await createTenant(running.app, { account: `${main}-other`, workspaces: [`${main}-other`] });
  });

  it('returns 403 without its scope, for a viewer, and for a caller who cannot access the workspace', async () => {
    const others = ['create', 'update', 'delete', 'get', 'list'].map((verb) => `jobs:${verb}`);
    const { token } = await createToken(running.app, tenant, others.filter((each) => each !== scope).join(' '));
    const viewer = await keyOfSomebody(running.app, tenant, { account: 'viewer' });
    const { key: foreign } = await createKey(running.app, stranger);
    const isById = 'id' in input();
    for (const by of [token, viewer, ...(isById ? [] : [foreign])]) {
      expect(await change(name, input(), by)).toMatchObject({ __typename: 'ForbiddenError', code: 'forbidden' });
    }
    const elsewhere = await change(name, { ...(!isById && { workspace: `${main}-other` }), ...input() }, foreign);
    expect(elsewhere.__typename).toBe(name === 'createJob' ? payload(name) : 'NotFoundError');
    expect(await history()).toHaveLength(before);
  });

  it('returns 404 for an unknown resource, and names it', async () => {
    for (const field of ['name'].filter((each) => each in input())) {
      for (const unknown of ['nobody', 'no\u0000body', randomUUID()]) {
        const { __typename, message } = await change(name, { ...input(), [field]: unknown });
        expect({ __typename, message }).toEqual({
          __typename: 'NotFoundError',
          message: `There is no job named ${JSON.stringify(unknown)} here.`,
        });
      }
    }
    expect(await history()).toHaveLength(before);
  });

  const isNew = name === 'createJob' || name === 'runJob';

  it('is rejected for an outdated version', async () => {
    if (isNew) return;
    expect(await change(name, { ...input(), ifVersion: 7 })).toMatchObject({
      __typename: 'ConflictError',
      code: 'version_mismatch',
      currentVersion: name === 'deleteJobExecution' ? 2 : 1,
    });
    expect(await history()).toHaveLength(before);
  });

  it('changes nothing in a dry run', async () => {
    const untouched = await everything();
    would = await change(name, { ...input(), validateOnly: true });
    expect(would.__typename).toBe(payload(name));
    expect(await everything()).toEqual(untouched);
    expect(await history()).toHaveLength(before);
  });

  it('works with only its scope, with the result of the dry run', async () => {
    const { token } = await createToken(running.app, tenant, scope);
    const version = name === 'deleteJobExecution' ? 2 : 1;
    const done = await change(name, { ...input(), ...(isNew ? {} : { ifVersion: version }) }, token);
    expect(done.__typename).toBe(payload(name));
    const told = ({ job, jobExecution }: Answer['body']) => {
      const { id: _, ...rest } = job ?? { ...jobExecution, metadata: { ...jobExecution.metadata, id: '' } };
      return rest;
    };
    expect(told(done)).toEqual(told(would));
    expect(await history()).toHaveLength(before + (name === 'deleteJob' ? 3 : 1));
  });
});

describe('Rules of the specification', () => {
  // Invalid input changes nothing, so all of it can be tested in one tenant.
  beforeAll(async () => {
    await freshTenant();
    await change('createJob', { metadata: { name: 'import' } });
  });

  const job = (metadata: object, spec: object = {}) => ({ metadata: { name: 'one', ...metadata }, spec });
  const run = (asked: object) => ({ name: 'import', ...asked });
  const task = (more: object) => ({ tasks: [{ name: 'a' }, more] });
  const many = Array.from({ length: 1_001 }, () => ({}));
  const broken: [string, object, string[]][] = [
    ['createJob', job({ name: 'Not A Name' }), ['metadata.name invalid_format']],
    ['createJob', job({ name: 'n'.repeat(50) }), ['metadata.name invalid_format']],
    ['createJob', job({ displayName: 'd'.repeat(64) }), ['metadata.displayName too_long']],
    ['createJob', job({ externalId: 'not this' }), ['metadata.externalId invalid_format']],
    ['createJob', job({}, { region: 'eu-closed' }), ['spec.region not_available']],
    [
      'createJob',
      job({}, { parallelism: 0, maxRetries: -1, timeout: 0 }),
      ['spec.maxRetries too_small', 'spec.parallelism too_small', 'spec.timeout too_small'],
    ],
    [
      'createJob',
      job({}, { runtime: { memory: 0, envs: [{ name: '1' }, { name: 'A' }, { name: 'A' }] } }),
      [
        'spec.runtime.envs.0.name invalid_format',
        'spec.runtime.envs.2.name duplicate',
        'spec.runtime.memory too_small',
      ],
    ],
    ['updateJob', { name: 'import', spec: { region: 'nowhere', timeout: 1 } }, ['spec.region not_available']],
    [
      'createJob',
      job({ displayName: 'd'.repeat(64) }, { region: 'eu-closed', timeout: 0 }),
      ['metadata.displayName too_long', 'spec.region not_available', 'spec.timeout too_small'],
    ],
    [
      'updateJob',
      { name: 'import', spec: { region: 'nowhere', timeout: 0 } },
      ['spec.region not_available', 'spec.timeout too_small'],
    ],
    ['updateJob', { name: 'import', spec: { timeout: 0 } }, ['spec.timeout too_small']],
    ['runJob', run({ tasks: [] }), ['tasks too_short']],
    ['runJob', run({ tasks: many }), ['tasks too_long']],
    ['runJob', run(task({ name: 'a' })), ['tasks.1.name duplicate']],
    ['runJob', run(task({ name: '' })), ['tasks.1.name too_short']],
    [
      'runJob',
      run({ ...task({ maxRetries: -1, timeout: 'soon' }), memoryOverride: 0, parallelism: 0, timeout: 0 }),
      [
        'memoryOverride too_small',
        'parallelism too_small',
        'tasks.1.maxRetries too_small',
        'tasks.1.timeout invalid_format',
        'timeout too_small',
      ],
    ],
    ['runJob', run({ envOverride: ['A'] }), ['envOverride invalid_type']],
    [
      'runJob',
      run({ envOverride: { 'not a name': 'x', A: 1, B: 'b\u0000' } }),
      ['envOverride.A invalid_type', 'envOverride.B invalid_format', 'envOverride.not a name invalid_value'],
    ],
    ['runJob', run({ envOverride: { A: '***' } }), ['envOverride.A invalid_value']],
    ['runJob', run({ envOverride: { ['__proto__']: 'x' } }), ['envOverride.__proto__ invalid_value']],
    ['runJob', run({ envOverride: { A: 'x'.repeat(32_768), B: 'x'.repeat(32_768) } }), [' too_large']],
  ];

  const cases = broken.map(([name, input, expected]) => ({ name, input, expected, rules: expected.join(', ') }));

  it.each(cases)('$name rejects invalid input: $rules', async ({ name, input, expected }) => {
    const refused = await change(name, input);
    expect(refused.__typename).toBe('InvalidInputError');
    expect(problemsOf(refused).toSorted()).toEqual(expected);
    for (const { path, message } of refused.problems) expect(message).toContain(path.join('.'));
    expect(await history()).toHaveLength(1);
  });
});

describe('A job', () => {
  beforeEach(freshTenant);

  it('is found, counted and recorded immediately', async () => {
    const metadata = { name: 'import', displayName: 'The Import', labels: [{ key: 'team', value: 'blue' }] };
    const spec = { region: 'eu-open', parallelism: 2, maxRetries: 0, timeout: 60, runtime: { image: 'base' } };
    const made = await change('createJob', { metadata, spec });
    expect(made.job).toMatchObject({
      version: 1,
      status: 'DEPLOYED',
      metadata: { ...metadata, createdBy: owner },
      spec: { ...spec, enabled: true },
      events: [{ type: 'creation', status: 'CREATED', message: `Created by ${owner}` }],
    });
    expect(await everything()).toMatchObject({ totalCount: 1, nodes: [made.job] });
    expect(await history()).toMatchObject([{ sequence: 1, kind: 'JOB', verb: 'created', name: 'import', version: 1 }]);
    expect(await change('createJob', { metadata: { name: 'import' } })).toMatchObject({ code: 'name_taken' });
  });

  it('is created once for twelve concurrent callers of the same name', async () => {
    const results = await Promise.all(
      Array.from({ length: 12 }, () => change('createJob', { metadata: { name: 'a' } })),
    );
    const made = results.filter(({ __typename }) => __typename === 'CreateJobPayload');
    expect(made).toHaveLength(1);
    expect(results.filter(({ code }) => code === 'name_taken')).toHaveLength(11);
    expect(await history()).toHaveLength(1);
  });

  it('keeps omitted fields, clears null fields, and replaces its lists in an update', async () => {
    const labels = [{ key: 'team', value: 'blue' }];
    const runtime = { memory: 512, image: 'base', envs: [{ name: 'A', value: '1' }] };
    const spec = { parallelism: 2, timeout: 60, runtime };
    await change('createJob', { metadata: { name: 'import', displayName: 'Import', labels }, spec });
    const changed = await change('updateJob', {
      name: 'import',
      metadata: { displayName: null, labels: [] },
      spec: { enabled: false, timeout: null, runtime: { envs: [{ name: 'B', value: '2' }] } },
    });
    expect(changed.job).toMatchObject({
      version: 2,
      status: 'DEACTIVATED',
      metadata: { displayName: null, labels: [] },
      spec: {
        enabled: false,
        parallelism: 2,
        timeout: null,
        runtime: { memory: 512, image: 'base', envs: [{ name: 'B', value: '2' }] },
      },
    });
    expect((await everything()).nodes).toMatchObject([changed.job]);
    expect((await change('updateJob', { name: 'import', spec: { enabled: false } })).job.version).toBe(2);
    expect(await history()).toHaveLength(2);
  });

  it('encrypts its secrets, masks them, keeps them if the mask is sent back, and records none', async () => {
    const env = (value: string) => ({ runtime: { envs: [{ name: 'TOKEN', value, secret: true }] } });
    await change('createJob', { metadata: { name: 'import' }, spec: env('the first secret') });
    const stored = async () => {
      const { spec } = await running.app.services.db.job.findFirstOrThrow({ where: { workspace: { name: main } } });
      return /"value":"([^"]+)"/.exec(JSON.stringify(spec))?.[1] ?? '';
    };
    const before = await stored();
    expect(before.length).toBeGreaterThan(20);
    const kept = await change('updateJob', { name: 'import', metadata: { displayName: 'Import' }, spec: env('***') });
    expect(kept.job).toMatchObject({ version: 2, spec: env('***') });
    expect(await stored()).toBe(before);
    await change('updateJob', { name: 'import', spec: env('the other secret') });
    expect(await stored()).not.toBe(before);
    await change('deleteJob', { name: 'import' });
    const told = JSON.stringify(await history());
    for (const secret of ['first secret', 'other secret', before]) expect(told).not.toContain(secret);
  });
});

describe('Running a job', () => {
  beforeEach(freshTenant);

  it('creates a queued execution with the requested tasks and overrides', async () => {
    await addImport();
    const now = frozenNow.toISOString();
    const ran = await change('runJob', {
      name: 'import',
      tasks: [{ name: 'task-1' }, {}, { maxRetries: 0, timeout: '15m' }],
      envOverride: { TOKEN: 'do not tell', PLAIN: '' },
      memoryOverride: 4096,
      parallelism: 1,
    });
    expect(ran.jobExecution).toMatchObject({
      version: 1,
      status: 'QUEUED',
      metadata: {
        jobName: 'import',
        workspaceName: main,
        createdAt: now,
        updatedAt: now,
        startedAt: null,
        completedAt: null,
      },
      spec: { envOverride: '{"TOKEN":"***","PLAIN":"***"}', memoryOverride: 4096, parallelism: 1, timeout: 600 },
      stats: { total: 3, running: 0, success: 0, failure: 0, cancelled: 0, retried: 0 },
      tasks: [
        { metadata: { name: 'task-1', createdAt: now }, spec: { maxRetries: 2, timeout: null }, conditions: [] },
        { metadata: { name: 'task-1-2' }, spec: { maxRetries: 2 } },
        { metadata: { name: 'task-2' }, spec: { maxRetries: 0, timeout: '15m' } },
      ],
    });
    const { body } = await rest(running.app, `/jobs/import/executions/${idOf(ran)}`, {
      key,
      headers: { 'x-service-workspace': main },
    });
    expect(body).toMatchObject({ status: 'queued', spec: { memoryOverride: 4096 }, stats: { total: 3 } });
    const made = (await history()).at(-1);
    expect(made).toMatchObject({
      kind: 'JOB_EXECUTION',
      verb: 'created',
      resourceId: idOf(ran),
      version: 1,
      name: null,
    });
    const row = await running.app.services.db.jobExecution.findFirstOrThrow({ where: { id: idOf(ran) } });
    for (const told of [JSON.stringify(await history()), JSON.stringify(row)])
      expect(told).not.toContain('do not tell');
  });

  it('creates one task by default', async () => {
    await addImport();
    const { jobExecution } = await change('runJob', { name: 'import' });
    expect(jobExecution).toMatchObject({ stats: { total: 1 }, tasks: [{ metadata: { name: 'task-0' } }] });
    expect(jobExecution.spec).toEqual({ envOverride: null, memoryOverride: null, parallelism: 3, timeout: 600 });
  });

  it('is rejected while the job is disabled', async () => {
    await addImport();
    await change('updateJob', { name: 'import', spec: { enabled: false } });
    expect(await change('runJob', { name: 'import' })).toMatchObject({
      __typename: 'ConflictError',
      code: 'conflict',
      message: 'The job "import" is disabled. Set its spec.enabled to true to execute it.',
    });
    await change('updateJob', { name: 'import', spec: { enabled: true } });
    expect((await change('runJob', { name: 'import' })).__typename).toBe('RunJobPayload');
  });

  it('again with its Idempotency-Key returns the same, and creates no other', async () => {
    await addImport();
    const query = `mutation ($input: RunJobInput!) {
      runJob(input: $input) { ... on RunJobPayload { jobExecution { ${executionFields} } } } }`;
    const input = { workspace: main, name: 'import', envOverride: { TOKEN: 'do not tell' } };
    const run = () => graphql(running.app, key, query, { input }, { 'idempotency-key': `run of ${main}` });
    const first = await run();
    expect(first.body.data.runJob.jobExecution.spec.envOverride).toBe('{"TOKEN":"***"}');
    expect((await run()).body.data).toEqual(first.body.data);
    expect((await everything()).nodes[0].executions.totalCount).toBe(2);
  });

  it('and deleting it in any order never leaves an execution without its job', async () => {
    const outcomes = async (names: string[]) => {
      await freshTenant();
      await change('createJob', { metadata: { name: 'import' } });
      const each = names.map((name) => () => change(name, { name: 'import' }));
      const results = await startedInTurn(running.app, tenant.accountId, each);
      expect(await running.app.services.db.jobExecution.count({ where: { workspace: { name: main } } })).toBe(0);
      const kinds = (await history()).slice(1).map(({ kind, verb }) => `${kind} ${verb}`);
      return [results.map(({ __typename }) => __typename), kinds];
    };
    expect(await outcomes(['runJob', 'deleteJob'])).toEqual([
      ['RunJobPayload', 'DeleteJobPayload'],
      ['JOB_EXECUTION created', 'JOB deleted', 'JOB_EXECUTION deleted'],
    ]);
    expect(await outcomes(['deleteJob', 'runJob'])).toEqual([['DeleteJobPayload', 'NotFoundError'], ['JOB deleted']]);
  });

  it('concurrently creates an execution for each call, all deleted with the job', async () => {
    await addImport();
    const results = await Promise.all([
      ...Array.from({ length: 6 }, () => change('runJob', { name: 'import' })),
      change('deleteJob', { name: 'import' }),
      ...Array.from({ length: 6 }, () => change('runJob', { name: 'import' })),
    ]);
    const outcomes = new Set(results.map(({ __typename }) => __typename));
    expect([...outcomes].every((each) => each === 'NotFoundError' || each.endsWith('Payload'))).toBe(true);
    expect(await running.app.services.db.jobExecution.count({ where: { workspace: { name: main } } })).toBe(0);
    const executions = (await history()).filter(({ kind }) => kind === 'JOB_EXECUTION');
    const idsOf = (verb: string) => executions.filter((each) => each.verb === verb).map(({ resourceId }) => resourceId);
    expect(idsOf('deleted').toSorted()).toEqual(idsOf('created').toSorted());
  });
});

describe('Cancelling an execution', () => {
  beforeEach(async () => {
    await freshTenant();
    await addImport();
  });

  it('that is queued ends it immediately, and a second time changes nothing', async () => {
    const id = idOf(await change('runJob', { name: 'import', tasks: [{}, {}] }));
    const before = (await history()).length;
    const { jobExecution } = await change('cancelJobExecution', execution(id));
    const completedAt = frozenNow.toISOString();
    expect(jobExecution).toMatchObject({
      version: 2,
      status: 'CANCELLED',
      metadata: { completedAt },
      stats: { total: 2, cancelled: 2 },
      tasks: [{ metadata: { completedAt } }, { metadata: { completedAt } }],
    });
    expect((await change('cancelJobExecution', execution(id))).jobExecution).toEqual(jobExecution);
    const recorded = (await history()).slice(before);
    expect(recorded).toMatchObject([{ verb: 'cancelled', version: 2, message: `Cancelled by ${owner}` }]);
    expect(recorded[0]?.fields.toSorted()).toEqual(['metadata.completedAt', 'stats.cancelled', 'status', 'tasks']);
  });

  it.each(['pending', 'running'] as const)('that is %s waits until it has stopped', async (status) => {
    const id = await addExecution(status);
    const { jobExecution } = await change('cancelJobExecution', execution(id));
    expect(jobExecution).toMatchObject({ version: 2, status: 'CANCELLING', metadata: { completedAt: null } });
    expect((await change('cancelJobExecution', execution(id))).jobExecution.version).toBe(2);
  });

  it.each(['failed', 'succeeded', 'timeout'] as const)('that is %s is rejected', async (status) => {
    const id = await addExecution(status);
    expect(await change('cancelJobExecution', execution(id))).toMatchObject({
      __typename: 'ConflictError',
      code: 'conflict',
      message: expect.stringContaining(status),
    });
  });

  it('is applied once for twelve concurrent callers', async () => {
    const id = idOf(await change('runJob', { name: 'import' }));
    const results = await Promise.all(Array.from({ length: 12 }, () => change('cancelJobExecution', execution(id))));
    expect(new Set(results.map(({ jobExecution }) => jobExecution.version))).toEqual(new Set([2]));
    const ofIt = (await history()).filter(({ resourceId }) => resourceId === id);
    expect(ofIt.map(({ verb }) => verb)).toEqual(['created', 'cancelled']);
  });
});

describe('Deleting an execution', () => {
  beforeEach(async () => {
    await freshTenant();
    await addImport();
  });

  it('returns it as before the deletion with the time, and records it', async () => {
    const { jobExecution } = await change('deleteJobExecution', execution(over));
    expect(jobExecution).toMatchObject({
      version: 2,
      status: 'CANCELLED',
      metadata: { id: over, jobName: 'import', deletedAt: frozenNow.toISOString() },
    });
    expect((await change('deleteJobExecution', execution(over))).__typename).toBe('NotFoundError');
    expect((await history()).at(-1)).toMatchObject({ kind: 'JOB_EXECUTION', verb: 'deleted', resourceId: over });
  });

  it.each(['queued', 'pending', 'running', 'cancelling'] as const)('that is %s is rejected', async (status) => {
    const id = await addExecution(status);
    expect(await change('deleteJobExecution', execution(id))).toMatchObject({
      __typename: 'ConflictError',
      code: 'not_deletable',
      message: expect.stringContaining(status),
    });
  });

  it('returns 404 for an unknown execution', async () => {
    for (const mutation of ['deleteJobExecution', 'cancelJobExecution']) {
      expect(await change(mutation, execution(randomUUID()))).toMatchObject({
        __typename: 'NotFoundError',
        message: 'There is no execution with this id.',
      });
    }
  });
});

describe('Deleting a job', () => {
  beforeEach(freshTenant);

  it('deletes its executions, each with the record of a single deletion', async () => {
    await change('createJob', { metadata: { name: 'import' } });
    const alone = await addExecution('failed');
    const taken = await addExecution('failed');
    const asked = { name: 'import', envOverride: { 'A.b': 'do not tell' }, tasks: [{ name: '"é"' }] };
    const [plain, empty] = [
      idOf(await change('runJob', asked)),
      idOf(await change('runJob', { ...asked, envOverride: {} })),
    ];
    await change('deleteJobExecution', execution(alone));
    const { job } = await change('deleteJob', { name: 'import' });
    expect(job.events).toMatchObject([{ type: 'creation' }, { type: 'deletion' }]);
    expect(await running.app.services.db.jobExecution.count({ where: { workspace: { name: main } } })).toBe(0);
    const changes = await history();
    const last = (id: string) => changes.findLast(({ resourceId }) => resourceId === id);
    expect(changes.findLast(({ kind }) => kind === 'JOB')).toMatchObject({ verb: 'deleted', sequence: 5 });
    const own = { sequence: 0, requestId: '' };
    const record = JSON.parse(JSON.stringify({ ...last(taken), ...own }).replaceAll(taken, alone));
    expect(record).toEqual(JSON.parse(JSON.stringify({ ...last(alone), ...own })));
    for (const id of [plain, empty]) {
      const made = changes.find(({ resourceId }) => resourceId === id);
      expect(last(id)).toMatchObject({ verb: 'deleted', before: made?.after });
    }
    expect(JSON.stringify(changes)).not.toContain('do not tell');
  });

  it('takes as many statements for five thousand executions as for none, and records each', async () => {
    const { db, encryption } = running.app.services;
    await change('createJob', { metadata: { name: 'none' } });
    await change('createJob', { metadata: { name: 'import' } });
    const workspaceId = tenant.workspaces[main] ?? '';
    const { id: jobId } = await db.job.findFirstOrThrow({ where: { workspaceId, name: 'import' } });
    const executions = Array.from({ length: 5_000 }, () => anExecution(jobId, randomUUID()));
    await insertExecutions(db, encryption, workspaceId, executions);
    const none = await statementsDuring(running.app, () => change('deleteJob', { name: 'none' }));
    expect(none).toBeLessThanOrEqual(5);
    expect(await statementsDuring(running.app, () => change('deleteJob', { name: 'import' }))).toBe(none);
    const deleted = { accountId: tenant.accountId, kind: 'JOB_EXECUTION', verb: 'deleted' };
    expect(await db.change.count({ where: deleted })).toBe(5_000);
    const { _max: numbers } = await db.change.aggregate({ where: deleted, _max: { sequence: true } });
    expect(numbers.sequence).toBe(5_004n);
    expect((await change('createJob', { metadata: { name: 'next' } })).__typename).toBe('CreateJobPayload');
  });
});
