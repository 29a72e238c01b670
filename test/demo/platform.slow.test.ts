// The demo's resources except agents: every state, valid relations, and deterministic.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.js';
import { openDatabase } from '../../src/database/open.js';
import type { OpenDatabase } from '../../src/database/open.js';
import { demoAgents } from '../../src/demo/agents.js';
import { demoWorkspaces, mainWorkspace, openRegions, tidewaterWorkspace } from '../../src/demo/company.js';
import { demoConfiguration } from '../../src/demo/configuration.js';
import { loadDemo } from '../../src/demo/load.js';
import { demoPlatform } from '../../src/demo/platform.js';
import { idOf } from '../../src/demo/random.js';
import { shareStatuses } from '../../src/resources/images/image-share.js';
import { configurationInput } from '../../src/resources/configuration/configuration-input.js';
import { imageInput } from '../../src/demo/rows/image-input.js';
import { executionInput, jobInput } from '../../src/demo/rows/job-input.js';
import { egressGatewayInput, egressIpInput, vpcInput } from '../../src/demo/rows/network-input.js';
import { deploymentStates as statuses } from '../../src/lifecycle/deployment-states.js';
import { previewInput, sandboxInput } from '../../src/demo/rows/sandbox-input.js';
import { volumeInput } from '../../src/demo/rows/volume-input.js';
import { createEncryption } from '../../src/encryption.js';
import { freshDatabase } from '../harness.js';

const end = new Date('2026-11-20T12:00:00.000Z');

function platformOf(workspace: string, until = end) {
  return demoPlatform(workspace, [...demoAgents(workspace, 64, until)], until);
}

const main = platformOf(mainWorkspace);

/** Every text in a value that is an instant. */
function instantsIn(value: unknown): string[] {
  return JSON.stringify(value).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
}

describe('The demo', () => {
  it.each(demoWorkspaces)('is the same every time in %s', (workspace) => {
    expect(platformOf(workspace)).toEqual(platformOf(workspace));
  });

  it('keeps its ids when its end moves', () => {
    const later = platformOf(mainWorkspace, new Date(end.getTime() + 3_600_000));
    for (const kind of ['sandboxes', 'previews', 'jobs', 'executions', 'volumes', 'images', 'ips'] as const) {
      expect(later[kind].map(({ id }) => id)).toEqual(main[kind].map(({ id }) => id));
    }
  });

  it('has unique ids over all workspaces', () => {
    const ids = demoWorkspaces.flatMap((workspace) =>
      Object.values(platformOf(workspace)).flatMap((items) => items.map(({ id }) => id)),
    );
    expect(ids).not.toContain(undefined);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(demoWorkspaces)('is valid in %s', (workspace) => {
    const platform = platformOf(workspace);
    const schemas = {
      sandboxes: sandboxInput,
      previews: previewInput,
      jobs: jobInput,
      executions: executionInput,
      volumes: volumeInput,
      images: imageInput,
      vpcs: vpcInput,
      gateways: egressGatewayInput,
      ips: egressIpInput,
    } as const;
    expect(Object.keys(schemas).toSorted()).toEqual(Object.keys(platform).toSorted());
    for (const [kind, items] of Object.entries(platform)) {
      const schema = Object.entries(schemas).find(([name]) => name === kind)?.[1];
      const refused = items.filter((item) => schema?.safeParse(item).success !== true);
      expect({ kind, refused }).toEqual({ kind, refused: [] });
    }
  });

  it('has every deployment status of a resource that exists', () => {
    const found = [main.sandboxes, main.jobs, main.volumes, main.vpcs].flat().map(({ status }) => status);
    const { TERMINATED: _, ...existing } = statuses;
    expect(new Set(found)).toEqual(new Set(Object.keys(existing)));
  });

  it('has dozens of each frequent kind in a main workspace', () => {
    expect(main.sandboxes.length).toBeGreaterThanOrEqual(40);
    expect(main.jobs).toHaveLength(15);
    expect(main.volumes).toHaveLength(20);
    expect(main.images.length).toBeGreaterThanOrEqual(40);
    expect(main.vpcs).toHaveLength(3);
  });

  it.each(demoWorkspaces)('is in the past in %s, except for the expiry of previews', (workspace) => {
    const { previews, ...rest } = platformOf(workspace);
    const lived = previews.map(({ spec: _spec, ...preview }) => preview);
    const now = end.toISOString();
    expect(instantsIn([rest, lived]).filter((time) => time > now)).toEqual([]);
  });

  it('has events in order, up to the status', () => {
    for (const { events = [], status } of [main.sandboxes, main.jobs, main.volumes, main.vpcs, main.gateways].flat()) {
      const times = events.map(({ time }) => time);
      expect(times).toEqual(times.toSorted());
      expect(events.at(-1)?.status).toBe(status);
    }
    const withoutEvents = [main.ips].flat().filter(({ events = [] }) => {
      return events.length === 0;
    });
    expect(withoutEvents).toEqual([]);
  });

  it('mentions no user of one account in the other', () => {
    for (const workspace of demoWorkspaces) {
      const text = JSON.stringify([platformOf(workspace), [...demoAgents(workspace, 64, end)]]);
      const foreign = workspace === tidewaterWorkspace ? /\S{0,20}meridian\S{0,20}/g : /\S{0,20}tidewater\S{0,20}/g;
      expect({ workspace, found: text.match(foreign)?.slice(0, 5) }).toEqual({ workspace, found: undefined });
    }
  });
});

describe('The configuration of the demo', () => {
  it('is valid, and names its countries and continents', () => {
    const { regions, countries, continents } = configurationInput.parse(demoConfiguration);
    expect(regions).toHaveLength(14);
    expect(new Set(regions.map(({ country }) => country))).toEqual(new Set(countries.map(({ name }) => name)));
    expect(new Set(regions.map(({ continent }) => continent))).toEqual(new Set(continents.map(({ name }) => name)));
  });

  it('restricts only the regions that are not open to all', () => {
    const open = demoConfiguration.regions.filter(({ accounts }) => accounts === undefined);
    expect(open.map(({ name }) => name).toSorted()).toEqual([...openRegions].toSorted());
  });

  it('has public drive addresses only in regions with drives', () => {
    const { regions } = demoConfiguration;
    const addressed = regions.filter(({ agentDrivePublicUrl }) => agentDrivePublicUrl !== undefined);
    expect(addressed.length).toBeGreaterThan(0);
    expect(addressed.every(({ drivesAvailable }) => drivesAvailable)).toBe(true);
    expect(addressed.length).toBeLessThan(regions.length);
  });
});

describe('The loaded demo', () => {
  const opened: { database: OpenDatabase; remove: () => Promise<void> }[] = [];
  let database: OpenDatabase;

  async function loaded(agents?: number): Promise<OpenDatabase> {
    const { settings, remove } = await freshDatabase();
    const fresh = await openDatabase(readConfig(settings));
    opened.push({ database: fresh, remove });
    await loadDemo(fresh.db, createEncryption(fresh.secrets), { end, agents });
    return fresh;
  }

  beforeAll(async () => {
    database = await loaded();
  });

  afterAll(async () => {
    for (const each of opened) {
      await each.database.close();
      await each.remove();
    }
  });

  it('contains every kind in every workspace', async () => {
    const { db } = database;
    for (const { id } of await db.workspace.findMany()) {
      const where = { where: { workspaceId: id } };
      const found = [
        await db.agent.count(where),
        await db.sandbox.count(where),
        await db.sandboxPreview.count(where),
        await db.job.count(where),
        await db.jobExecution.count(where),
        await db.volume.count(where),
        await db.image.count(where),
        await db.imageTag.count(where),
        await db.imageShare.count(where),
        await db.vpc.count(where),
        await db.egressGateway.count(where),
        await db.egressIp.count(where),
      ];
      expect(Math.min(...found)).toBeGreaterThan(0);
    }
  });

  it('has a change log in the order of time, without a gap', async () => {
    const { db } = database;
    for (const { id } of await db.account.findMany()) {
      const changes = await db.change.findMany({
        where: { accountId: id },
        orderBy: { sequence: 'asc' },
        select: { sequence: true, time: true },
      });
      expect(changes.length).toBeGreaterThan(0);
      expect(changes.map(({ sequence }) => Number(sequence))).toEqual(changes.map((_, index) => index + 1));
      const times = changes.map(({ time }) => time.getTime());
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      const head = await db.changeHead.findUniqueOrThrow({ where: { accountId: id } });
      expect(Number(head.last)).toBe(changes.length);
    }
  });

  it('has the same ids in another database, also with more agents', async () => {
    const other = await loaded(200);
    expect(await other.db.agent.count({ where: { workspaceId: idOf(mainWorkspace) } })).toBe(200);
    const idsOf = ({ db }: OpenDatabase) => db.$queryRaw<{ kind: string; id: string }[]>`
      SELECT 'sandbox' AS "kind", "id"::text FROM "sandbox"
      UNION ALL SELECT 'preview', "id"::text FROM "sandbox_preview"
      UNION ALL SELECT 'job', "id"::text FROM "job"
      UNION ALL SELECT 'execution', "id"::text FROM "job_execution"
      UNION ALL SELECT 'volume', "id"::text FROM "volume"
      UNION ALL SELECT 'vpc', "id"::text FROM "vpc"
      UNION ALL SELECT 'gateway', "id"::text FROM "egress_gateway"
      UNION ALL SELECT 'ip', "id"::text FROM "egress_ip"
      ORDER BY 1, 2`;
    const ids = await idsOf(database);
    expect(ids.length).toBeGreaterThan(1_000);
    expect(await idsOf(other)).toEqual(ids);
  });

  it('shares images across the accounts in both directions, in every state', async () => {
    const shares = await database.db.imageShare.findMany({ include: { workspace: true } });
    for (const [target, source] of [
      [mainWorkspace, tidewaterWorkspace],
      [tidewaterWorkspace, mainWorkspace],
    ] as const) {
      const own = shares.filter(({ workspace }) => workspace.name === target);
      expect(new Set(own.map(({ status }) => status))).toEqual(new Set(Object.keys(shareStatuses)));
      expect(new Set(own.map(({ sourceWorkspace }) => sourceWorkspace))).toEqual(new Set([source]));
    }
    for (const { status, createdAt, decidedAt, decidedBy } of shares) {
      const isDecided = status === 'accepted' || status === 'declined';
      expect([decidedAt, decidedBy].map((each) => each !== null)).toEqual([isDecided, isDecided]);
      expect((decidedAt ?? end) > createdAt).toBe(true);
    }
  });

  it('has images of another workspace only after an accepted share, with the tags of that time', async () => {
    const { db } = database;
    const accepted = await db.imageShare.findMany({ where: { status: 'accepted' } });
    const copies = await db.image.findMany({ where: { sourceWorkspace: { not: null } }, include: { tags: true } });
    const named = (each: { workspaceId: string; name: string; sourceWorkspace: string | null }, at: Date | null) =>
      [each.workspaceId, each.name, each.sourceWorkspace, at?.toISOString()].join(' ');
    expect(copies.map((each) => named(each, each.createdAt)).toSorted()).toEqual(
      accepted.map((each) => named(each, each.decidedAt)).toSorted(),
    );
    for (const { tags, createdAt } of copies) {
      expect(tags.length).toBeGreaterThan(0);
      expect(tags.filter((tag) => tag.updatedAt > createdAt)).toEqual([]);
    }
  });

  it('contains the volumes that its agents and sandboxes attach, each in their region', async () => {
    const [lacking] = await database.db.$queryRaw<{ attached: bigint; missing: bigint }[]>`
      SELECT count(*) AS "attached",
        count(*) FILTER (WHERE (volume."spec"->>'region') IS DISTINCT FROM workload."region") AS "missing"
      FROM (
        SELECT "workspace_id", "spec"->>'region' AS "region", json_array_elements("spec"->'volumes') AS "attachment"
        FROM "agent"
        UNION ALL
        SELECT "workspace_id", "spec"->>'region', json_array_elements("spec"->'volumes') FROM "sandbox"
      ) AS workload
      LEFT JOIN "volume" AS volume
        ON volume."workspace_id" = workload."workspace_id" AND volume."name" = "attachment"->>'name'
      WHERE "attachment"->>'type' = 'persistent'`;
    expect(lacking?.attached).toBeGreaterThan(0n);
    expect(lacking?.missing).toBe(0n);
  });

  it('uses only regions of the account', async () => {
    const astray = await database.db.$queryRaw`
      SELECT placed."name", placed."region" FROM (
        SELECT "name", "workspace_id", "spec"->>'region' AS "region" FROM "agent"
        UNION ALL SELECT "name", "workspace_id", "spec"->>'region' FROM "sandbox"
        UNION ALL SELECT "name", "workspace_id", "spec"->>'region' FROM "sandbox_preview"
        UNION ALL SELECT "name", "workspace_id", "spec"->>'region' FROM "job"
        UNION ALL SELECT "name", "workspace_id", "spec"->>'region' FROM "volume"
        UNION ALL SELECT "name", "workspace_id", "spec"->>'region' FROM "vpc"
        UNION ALL SELECT "name", "workspace_id", "spec"->>'region' FROM "egress_gateway"
      ) AS placed
      JOIN "workspace" ON "workspace"."id" = placed."workspace_id"
      LEFT JOIN "region" ON "region"."name" = placed."region"
      LEFT JOIN "region_account" AS permitted
        ON permitted."region" = placed."region" AND permitted."account_id" = "workspace"."account_id"
      WHERE placed."region" IS NOT NULL
        AND ("region"."name" IS NULL OR ("is_restricted" AND permitted."account_id" IS NULL))`;
    expect(astray).toEqual([]);
  });

  it('has regions open to all, to some and to nobody, with every flag', async () => {
    const regions = await database.db.region.findMany({ include: { accounts: true } });
    expect(regions).toHaveLength(14);
    expect(new Set(regions.map(({ isRestricted, accounts }) => `${isRestricted} ${accounts.length}`))).toEqual(
      new Set(['false 0', 'true 1', 'true 0']),
    );
    for (const flag of ['drivesAvailable', 'egressAvailable', 'mk31Available', 'proxyAvailable'] as const) {
      expect(new Set(regions.map((region) => region[flag]))).toEqual(new Set([true, false]));
    }
  });

  it('stores no secret in plain text', async () => {
    const [leaked] = await database.db.$queryRaw<{ total: bigint }[]>`
      SELECT (SELECT count(*) FROM "sandbox" WHERE "spec"::text ~ '"wh-')
        + (SELECT count(*) FROM "job" WHERE "spec"::text ~ '"led-')
        + (SELECT count(*) FROM "job_execution" WHERE "spec"::text ~ '"led-') AS "total"`;
    expect(leaked?.total).toBe(0n);
  });
});
