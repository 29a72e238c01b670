// Whatever callers and two executors do in whatever order, also with leases that expire: once the executors have carried
// out what is left, each region runs exactly what is desired there. PROPERTY_RUNS says how many sequences are tried.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { failExhausted } from '../../src/lifecycle/fail-exhausted.js';
import { restartFailed } from '../../src/lifecycle/restart-failed.js';
import { attemptsMax } from '../../src/lifecycle/work-kinds.js';
import { readDifferences } from '../../src/quotas/usage-recount.js';
import { createKey, createTenant, graphql, useApp } from '../harness.js';
import type { Tenant } from '../harness.js';
import { addRegions, mutate } from '../resources/mutations.js';
import { anExecutor, endLeases } from './executor.js';
import type { TestExecutor } from './executor.js';

const running = useApp();
const runs = Number(process.env['PROPERTY_RUNS'] ?? 25);
const seed = Number(process.env['PROPERTY_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const db = () => running.app.services.db;

/** `eu-closed` is open to the account, and no executor serves it. */
const served = ['eu-open', 'eu-egress'];
const regions = [...served, 'eu-closed'];

const slot = fc.constantFrom('a', 'b');
const kind = fc.constantFrom('Agent', 'Sandbox');
const which = fc.nat({ max: 200 });
const content = fc.record(
  {
    region: fc.constantFrom(...regions),
    enabled: fc.boolean(),
    memory: fc.constantFrom(1_024, 2_048, 4_096),
    restartPolicy: fc.constantFrom('ON_FAILURE', 'NEVER'),
  },
  { requiredKeys: [] },
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('create'), kind, slot, content }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('update'), kind, slot, content }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('delete', 'redeploy'), kind, slot }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('createPreview', 'deletePreview'), slot }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('claim'), executor: fc.nat({ max: 1 }), first: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('report'),
      which,
      state: fc.constantFrom('BUILDING', 'DEPLOYING', 'DEPLOYED', 'FAILED', 'end', 'end', 'end'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('release'), which }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('expire', 'exhaust', 'restart') }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('observe'), which, state: fc.constantFrom('DEPLOYED', 'FAILED') }) },
); // prettier-ignore

interface Claim {
  id: string;
  fence: number;
  kind: string;
  action: 'DEPLOY' | 'DEACTIVATE' | 'DELETE';
  resourceId: string;
  region: string;
  desired: { spec: { runtime?: { memory?: number } } };
  executor: TestExecutor;
}

const ends = { DEPLOY: 'DEPLOYED', DEACTIVATE: 'DEACTIVATED', DELETE: 'TERMINATED' } as const;

const uuidOf = (id: string) => Buffer.from(id, 'base64url').toString().slice(-36);

/** What runs: the memory by region and resource. */
type World = Map<string, number | null>;

const placeOf = ({ region, resourceId }: Pick<Claim, 'region' | 'resourceId'>) => `${region} ${resourceId}`;

const memoryOf = ({ desired: { spec } }: Claim) => spec.runtime?.memory ?? null;

async function isHeld({ executor, ...claim }: Claim): Promise<boolean> {
  return (await executor.report(claim)).code === undefined;
}

/** Changes the world as an assignment says, and reports that. */
async function carryOut(world: World, claim: Claim, state: string): Promise<void> {
  if (!(await isHeld(claim))) return;
  const isDeployed = ['DEPLOYING', 'DEPLOYED', 'FAILED'].includes(state);
  if (claim.action === 'DEPLOY' && isDeployed) world.set(placeOf(claim), memoryOf(claim));
  if (claim.action !== 'DEPLOY' && state === ends[claim.action]) world.delete(placeOf(claim));
  await claim.executor.report(claim, { state });
}

async function claimAll(executor: TestExecutor, first = 100): Promise<Claim[]> {
  const { assignments } = await executor.claim({ first });
  return assignments.map((claim: Omit<Claim, 'executor'>) => ({ ...claim, executor }));
}

/** Restarts what failed and is to be restarted, as if the delays were over. */
async function restartAll(): Promise<void> {
  await db().$executeRaw`UPDATE "assignment" SET "restart_at" = now() WHERE "restart_at" IS NOT NULL`;
  await restartFailed(db(), new Date());
}

async function run(steps: readonly Step[], tenant: Tenant, key: string, executors: TestExecutor[]): Promise<World> {
  const world: World = new Map();
  const claims: Claim[] = [];
  const where = { workspace: Object.keys(tenant.workspaces)[0] };
  const change = async (mutation: string, input: object) => {
    const result = await mutate(running.app, key, mutation, '__typename', { ...where, ...input });
    expect(result.problems).toBeUndefined();
  };
  const at = (index: number) => claims[claims.length - 1 - (index % Math.max(1, claims.length))];
  for (const taken of steps) {
    switch (taken.does) {
      case 'create':
      case 'update': {
        const { memory, ...spec } = taken.content;
        const input = { spec: { ...spec, runtime: memory === undefined ? undefined : { memory } } };
        const named = taken.does === 'create' ? { metadata: { name: taken.slot } } : { name: taken.slot };
        await change(`${taken.does}${taken.kind}`, { ...named, ...input });
        break;
      }
      case 'delete':
      case 'redeploy':
        await change(`${taken.does}${taken.kind}`, { name: taken.slot });
        break;
      case 'createPreview':
        await change('createSandboxPreview', { sandboxName: taken.slot, metadata: { name: 'p' }, spec: { port: 80 } });
        break;
      case 'deletePreview':
        await change('deleteSandboxPreview', { sandboxName: taken.slot, name: 'p' });
        break;
      case 'claim': {
        const executor = executors[taken.executor];
        if (executor !== undefined) claims.push(...(await claimAll(executor, taken.first)));
        break;
      }
      case 'report': {
        const claim = at(taken.which);
        if (claim !== undefined) await carryOut(world, claim, taken.state === 'end' ? ends[claim.action] : taken.state);
        break;
      }
      case 'release': {
        const claim = at(taken.which);
        if (claim !== undefined) await claim.executor.release(claim);
        break;
      }
      case 'expire':
        await endLeases(running.app);
        break;
      case 'exhaust':
        await db()
          .$executeRaw`UPDATE "assignment" SET "attempt" = ${attemptsMax}::int, "lease_until" = NULL, "due_at" = now() - interval '1 second'
          WHERE "id" = (SELECT "id" FROM "assignment" WHERE "due_at" IS NOT NULL ORDER BY "fence" DESC LIMIT 1)`;
        await failExhausted(db(), new Date());
        break;
      case 'restart':
        await restartAll();
        break;
      case 'observe': {
        const claim = at(taken.which);
        if (claim === undefined) break;
        const seen = { kind: claim.kind, status: taken.state };
        const { code } = await claim.executor.observe(claim.resourceId, claim.fence, seen);
        // It runs, although its lease ended before the report.
        if (code === undefined && taken.state === 'DEPLOYED') world.set(placeOf(claim), memoryOf(claim));
        break;
      }
    }
  }
  for (;;) {
    await restartAll();
    await db().$executeRaw`
      UPDATE "assignment" SET "due_at" = now() - interval '1 second', "lease_until" = NULL, "attempt" = 0
      WHERE "due_at" IS NOT NULL`;
    const left = (await Promise.all(executors.map((executor) => claimAll(executor)))).flat();
    if (left.length === 0) return world;
    for (const claim of left) await carryOut(world, claim, ends[claim.action]);
  }
}

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

it('each region runs what is desired there, and nothing else', async () => {
  const { app } = running;
  await addRegions(app);
  await db().region.updateMany({ where: { name: 'eu-closed' }, data: { isRestricted: false } });
  const executors = [
    await anExecutor(app, 'one', { regions: served }),
    await anExecutor(app, 'two', { regions: ['eu-egress'] }),
  ];
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      await db().assignment.deleteMany();
      const mark = `w${count++}`;
      const tenant = await createTenant(app, { account: mark, workspaces: [`${mark}-main`] });
      const { key } = await createKey(app, tenant);
      const world = await run(steps, tenant, key, executors);
      const resources = 'nodes { id status spec { region runtime { memory } } }';
      const previews = 'nodes { id spec { region } previews { nodes { id } } }';
      const { body } = await graphql(
        app,
        key,
        `{ agents { ${resources} } sandboxes { ${resources} } withPreviews: sandboxes { ${previews} } }`,
      );
      const wanted: World = new Map();
      const unsettled: string[] = [];
      for (const { id, status, spec } of [...body.data.agents.nodes, ...body.data.sandboxes.nodes]) {
        const place = placeOf({ region: spec.region ?? '', resourceId: uuidOf(id) });
        if (status === 'FAILED') {
          if (world.has(place)) wanted.set(place, world.get(place) ?? null);
        } else if (status === 'DEPLOYED') {
          if (served.includes(spec.region)) wanted.set(place, spec.runtime?.memory ?? null);
        } else if (status !== 'DEACTIVATED') unsettled.push(`${place} ${status}`);
      }
      for (const { spec, previews } of body.data.withPreviews.nodes) {
        for (const { id } of previews.nodes) {
          const place = placeOf({ region: spec.region ?? '', resourceId: uuidOf(id) });
          const failed = await db().assignment.count({ where: { resourceId: uuidOf(id), task: '', phase: 'FAILED' } });
          if (served.includes(spec.region) && (failed === 0 || world.has(place))) wanted.set(place, null);
        }
      }
      expect(unsettled).toEqual([]);
      expect(new Map([...world].toSorted())).toEqual(new Map([...wanted].toSorted()));
      expect(await readDifferences(db(), tenant.accountId)).toEqual([]);
    }),
    { numRuns: runs, seed, endOnFailure: true },
  );
}, 600_000);
