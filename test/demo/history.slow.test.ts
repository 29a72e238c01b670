// The change log of the demo: what it says about each resource agrees with the resource, and its records have the form of
// those that requests and reports leave.
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { allColumns } from '../../src/changes/change.js';
import { fieldsChanged } from '../../src/changes/fields-changed.js';
import { Prisma } from '../../src/database/client/client.js';
import { loadDemo } from '../../src/demo/load.js';
import { demoAccounts, mainWorkspace, platformAccount, demoOwner } from '../../src/demo/company.js';
import { idOf } from '../../src/demo/random.js';
import { scaledAgent, scaledAt } from '../../src/demo/story.js';
import { changeSubjects } from '../../src/changes/change-subjects.js';
import { createKey, frozenNow, graphql, useApp } from '../harness.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

const gateway = useApp();
let keys: Record<string, string> = {};

beforeAll(async () => {
  const { services } = gateway.app;
  const { db, encryption, inferenceUrl } = services;
  await loadDemo(db, encryption, { end: frozenNow, inferenceUrl });
  const created = demoAccounts.map(async ({ name, principals }) => {
    const owner = { accountId: idOf(name), principalId: idOf(principals[0]?.name ?? '') };
    return [name, (await createKey(gateway.app, owner)).key] as const;
  });
  keys = Object.fromEntries(await Promise.all(created));
});

const tables = {
  AGENT: 'agent',
  SANDBOX: 'sandbox',
  JOB: 'job',
  VOLUME: 'volume',
  VPC: 'vpc',
  EGRESS_GATEWAY: 'egress_gateway',
  EGRESS_IP: 'egress_ip',
  SANDBOX_PREVIEW: 'sandbox_preview',
} as const;

interface Shown {
  metadata: Record<string, unknown>;
  spec: Record<string, unknown>;
  status?: string;
}

interface Recorded {
  kind: string;
  resourceId: string;
  name: string;
  workspaceId: string;
  verb: string;
  version: number;
  status: string;
  fields: string[];
  before: Shown | null;
  after: Shown | null;
  time: Date;
  actorKind: string;
  actorName: string | null;
}

async function historiesOf(kinds: string[]): Promise<Map<string, Recorded[]>> {
  const rows = await gateway.app.services.db.$queryRaw<Recorded[]>`
    SELECT "kind", "resource_id"::text AS "resourceId", "name", "workspace_id"::text AS "workspaceId", "verb", "version",
      "status", "fields", "before", "after", "time", "actor_kind" AS "actorKind", "actor_name" AS "actorName"
    FROM "change" WHERE "kind" = ANY(${kinds}) ORDER BY "account_id", "sequence"`;
  const histories = new Map<string, Recorded[]>();
  for (const row of rows) histories.set(row.resourceId, [...(histories.get(row.resourceId) ?? []), row]);
  return histories;
}

/** A state without what the data plane reports between two updates. */
function settled({ metadata, spec, status: _status }: Shown): object {
  const { publicIp: _ip, url: _url, ...rest } = spec;
  return { metadata, spec: rest };
}

describe('The history of the demo', () => {
  it('leads in steps of one version from the creation of each resource to its present version', async () => {
    const { db } = gateway.app.services;
    const histories = await historiesOf(Object.keys(tables));
    for (const [kind, table] of Object.entries(tables)) {
      const rows = await db.$queryRawUnsafe<
        {
          id: string;
          version: number;
          name: string;
          updatedAt: Date;
          updatedBy: string;
          createdAt: Date;
          createdBy: string;
        }[]
      >(
        `SELECT "id"::text, "version", "name", "created_at" AS "createdAt", "created_by" AS "createdBy",
          "updated_at" AS "updatedAt", "updated_by" AS "updatedBy" FROM "${table}"`,
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) {
        const changes = (histories.get(row.id) ?? []).filter(({ verb }) => verb === 'created' || verb === 'updated');
        const [first] = changes;
        const last = changes.at(-1);
        expect({ kind, name: row.name, versions: changes.map(({ version }) => version) }).toEqual({
          kind,
          name: row.name,
          versions: Array.from({ length: row.version }, (_, index) => index + 1),
        });
        expect([first?.verb, first?.time, first?.actorName]).toEqual(['created', row.createdAt, row.createdBy]);
        expect([last?.time, last?.actorName]).toEqual([row.updatedAt, row.updatedBy]);
      }
    }
  });

  it('has the state after each change as the state before the next, and the status that was reported between', async () => {
    for (const changes of (await historiesOf(Object.keys(tables))).values()) {
      let state: Shown | undefined;
      let status: string | undefined;
      for (const { verb, kind, name, before, after, fields, status: reported } of changes) {
        if (verb === 'status') {
          // A report names a status of the deployment; a deletion that has begun has both.
          status = reported;
          continue;
        }
        if (verb === 'deleted') continue;
        const isUpdate = verb === 'updated';
        const previous = isUpdate ? state : undefined;
        expect({ kind, name, state: before ? settled(before) : undefined }).toEqual({
          kind,
          name,
          state: previous && settled(previous),
        });
        const previousStatus = before?.status === undefined ? undefined : (status ?? previous?.status);
        expect({ name, status: before?.status }).toEqual({ name, status: previousStatus });
        const changed = fieldsChanged(before ?? {}, after ?? {}).filter(
          (field) => !field.startsWith('metadata.updated'),
        );
        expect(fields.toSorted()).toEqual(isUpdate ? changed.toSorted() : []);
        expect(fields.length > 0).toBe(isUpdate);
        state = after ?? undefined;
        status = undefined;
      }
    }
  });

  it('ends in the agents as the API returns them', async () => {
    const histories = await historiesOf(['AGENT']);
    for (const { name: account, workspaces } of demoAccounts) {
      for (const workspace of workspaces) {
        const headers = { 'x-service-workspace': workspace, authorization: `Bearer ${keys[account]}` };
        const response = await fetch(`${gateway.app.origin}/v0/agents`, { headers });
        const agents: Shown[] = await response.json();
        expect(agents.length).toBeGreaterThan(0);
        for (const { metadata, spec, status } of agents) {
          const own = [...histories.values()].find(
            ([first]) => first?.name === metadata['name'] && first?.workspaceId === idOf(workspace),
          );
          const last = own?.findLast(({ after, verb }) => after !== null && verb !== 'status');
          // Only their admins see the secrets of triggers.
          const masked = JSON.parse(
            JSON.stringify({ metadata, spec }).replaceAll(/"(callbackSecret|callbackUrl)":"[^"]*"/g, '"$1":"***"'),
          );
          expect({ metadata: last?.after?.metadata, spec: last?.after?.spec }).toEqual(masked);
          const since = own?.slice(last === undefined ? 0 : own.indexOf(last));
          const reported = since?.findLast(({ verb }) => verb === 'status')?.status ?? last?.after?.status;
          expect({ name: metadata['name'], status: reported }).toEqual({ name: metadata['name'], status });
        }
      }
    }
  });

  it('is denser in recent days, and never in the future', async () => {
    const histories = [...(await historiesOf(Object.keys(tables))).values()].flat();
    const byPeople = histories.filter(({ actorKind }) => actorKind === 'user' || actorKind === 'service_account');
    const within = (from: number, until: number) =>
      byPeople.filter(({ time }) => {
        const days = (frozenNow.getTime() - time.getTime()) / 86_400_000;
        return days >= from && days < until;
      }).length;
    expect(within(0, 10)).toBeGreaterThan(within(10, 20));
    for (const days of [0, 20, 40, 60, 80, 100]) expect(within(days, days + 20)).toBeGreaterThan(10);
    expect(histories.filter(({ time }) => time > frozenNow)).toEqual([]);
    expect(new Set(byPeople.map(({ actorName }) => actorName)).size).toBeGreaterThanOrEqual(5);
  });

  it('names only actors of the account', async () => {
    const { db } = gateway.app.services;
    for (const { name, principals } of demoAccounts) {
      const rows = await db.change.groupBy({ by: ['actorName'], where: { accountId: idOf(name) } });
      const known = new Set([...principals.map((principal) => principal.name), 'demo-data-plane', null]);
      expect(rows.map(({ actorName }) => actorName).filter((actor) => !known.has(actor))).toEqual([]);
    }
  });

  it('names the key of a program by its prefix, as requests do', async () => {
    const { db } = gateway.app.services;
    const prefixes = (await db.apiKey.findMany()).map(({ prefix }) => `api_key ${prefix}`);
    const rows = await db.change.groupBy({ by: ['client'], where: { client: { startsWith: 'api_key ' } } });
    expect(rows).toHaveLength(2);
    expect(prefixes).toEqual(expect.arrayContaining(rows.map(({ client }) => client)));
  });

  it('has deleted resources with their last state', async () => {
    const deleted = [...(await historiesOf(['AGENT', 'SANDBOX', 'VOLUME'])).values()].filter(
      (changes) => changes.at(-1)?.verb === 'deleted',
    );
    expect(new Set(deleted.map(([first]) => first?.kind))).toEqual(new Set(['AGENT', 'SANDBOX', 'VOLUME']));
    for (const changes of deleted) {
      const begun = changes.at(-2);
      expect(begun).toMatchObject({
        verb: 'status',
        status: 'DELETING',
        after: { status: 'DELETING' },
        actorKind: 'user',
      });
      expect(changes.at(-1)).toMatchObject({ status: 'TERMINATED', actorKind: 'executor' });
      expect(changes.findLast(({ after }) => after?.spec !== undefined)).toBeDefined();
    }
  });

  it('contains the scaling of an agent by a person', async () => {
    const changes = (await historiesOf(['AGENT'])).get(idOf(`${mainWorkspace}/agents/${scaledAgent.name}`));
    const scaling = changes?.findLast(({ verb }) => verb === 'updated');
    expect(scaling).toMatchObject({ time: scaledAt(frozenNow), actorName: scaledAgent.by });
    expect(scaling?.before?.spec['runtime']).toMatchObject({ minScale: 2 });
    expect(scaling?.after?.spec['runtime']).toMatchObject({ minScale: 10 });
  });

  it('deploys only revisions that were pushed before, and the images say when', async () => {
    const { db } = gateway.app.services;
    const image = Prisma.sql`c."after"#>>'{spec,runtime,image}'`;
    const used = await db.$queryRaw<{ early: number; unknown: number; total: number }[]>`
      SELECT count(*)::int AS "total", (count(*) FILTER (WHERE c."time" < t."created_at"))::int AS "early",
        (count(*) FILTER (WHERE t."id" IS NULL))::int AS "unknown"
      FROM "change" AS c
      JOIN "image" AS i ON i."workspace_id" = c."workspace_id" AND i."name" = image_name(${image})
        AND i."resource_type"::text = CASE c."kind" WHEN 'AGENT' THEN 'agents' WHEN 'JOB' THEN 'jobs' ELSE 'sandboxes' END
      LEFT JOIN "image_tag" AS t ON t."image_id" = i."id" AND t."name" = substring(${image} FROM ':(r[0-9]+)$')
      WHERE c."verb" IN ('created', 'updated') AND c."kind" IN ('AGENT', 'JOB', 'SANDBOX')`;
    expect(used).toMatchObject([{ early: 0, unknown: 0 }]);
    expect(used[0]?.total).toBeGreaterThan(300);
    const deployed = await db.image.findMany({ where: { lastDeployedAt: { not: null } } });
    expect(new Set(deployed.map(({ resourceType }) => resourceType))).toEqual(new Set(['agents', 'jobs', 'sandboxes']));
    expect(deployed.filter(({ lastDeployedAt, createdAt }) => (lastDeployedAt ?? createdAt) <= createdAt)).toEqual([]);
  });

  it('has only kinds that the change log knows', async () => {
    const rows = await gateway.app.services.db.change.groupBy({ by: ['kind'] });
    expect(rows.filter(({ kind }) => !Object.hasOwn(changeSubjects, kind))).toEqual([]);
    expect(rows.length).toBeGreaterThan(12);
  });
});

/** The columns that a record has, and the fields of its states, without those of the resource itself. */
function formOf(row: Record<string, unknown> | undefined): object {
  const has = Object.entries(row ?? {})
    .filter(([, value]) => value !== null)
    .map(([name]) => name);
  const shapeOf = (state: unknown) =>
    typeof state === 'object' && state !== null
      ? Object.fromEntries(Object.entries(state).map(([key, value]) => [key, typeof value]))
      : state;
  return {
    columns: has.toSorted(),
    before: shapeOf(row?.['before']),
    after: shapeOf(row?.['after']),
    message: String(row?.['message']).replace(/ by \S+/, ' by …'),
  };
}

describe('A record of the demo has the form of one that the API leaves:', () => {
  async function rowsOf(where: object): Promise<Record<string, unknown>[]> {
    const rows = await gateway.app.services.db.change.findMany({ where, orderBy: { sequence: 'asc' } });
    expect(allColumns.length).toBeGreaterThan(0);
    return rows.map((row) => ({ ...row }));
  }

  const key = () => keys[platformAccount] ?? '';
  const accountId = idOf(platformAccount);

  it.each(['created', 'revoked'])('a %s API key', async (verb) => {
    const create = `mutation ($input: CreateApiKeyInput!) { r: createApiKey(input: $input) { __typename ... on CreateApiKeyPayload { apiKey { id } } } }`;
    const expiresAt = new Date(frozenNow.getTime() + 86_400_000).toISOString();
    const input = { name: `form-${verb}`, scopes: ['agents:list'], expiresAt };
    const { id } = (await graphql(gateway.app, key(), create, { input })).body.data.r.apiKey;
    await graphql(gateway.app, key(), `mutation { r: revokeApiKey(input: { id: "${id}" }) { __typename } }`);
    const real = (await rowsOf({ accountId, kind: 'API_KEY', name: `form-${verb}`, verb }))[0];
    const told = (await rowsOf({ accountId, kind: 'API_KEY', verb, workspaceId: null, time: { lt: frozenNow } })).at(
      -1,
    );
    const withoutExpiry = (row: Record<string, unknown> | undefined) =>
      JSON.parse(
        JSON.stringify(formOf(row))
          .replaceAll(/"(expiresAt|workspace)":"string",?/g, '')
          .replaceAll(',}', '}')
          .replace(/: form.*…\)"|: \S+ \(.*…\)"/, '"'),
      );
    expect(withoutExpiry(told)).toEqual(withoutExpiry(real));
  });

  it('an invitation', async () => {
    const invite = `mutation { r: inviteMember(input: { email: "form@example.com", role: MEMBER }) { __typename } }`;
    expect((await graphql(gateway.app, key(), invite)).body.data.r.__typename).toBe('InviteMemberPayload');
    const [real] = await rowsOf({ accountId, kind: 'INVITATION', name: 'form@example.com' });
    const [told] = await rowsOf({
      accountId,
      kind: 'INVITATION',
      verb: 'created',
      workspaceId: null,
      time: { lt: frozenNow },
    });
    const { message: _, ...form } = { message: '', ...formOf(told) };
    expect(formOf(real)).toMatchObject(form);
  });

  it('a budget and a webhook', async () => {
    const budget = `mutation { r: createBudget(input: { account: "${platformAccount}", name: "form", amount: "10", period: MONTHLY, thresholds: [{ percent: 90, measure: ACTUAL }] }) { __typename } }`;
    expect((await graphql(gateway.app, key(), budget)).body.data.r.__typename).toBe('CreateBudgetPayload');
    const webhook = `mutation { r: createWebhook(input: { name: "form", url: "https://hooks.example.com/x" }) { __typename } }`;
    expect((await graphql(gateway.app, key(), webhook)).body.data.r.__typename).toBe('CreateWebhookPayload');
    for (const [kind, name] of [
      ['BUDGET', 'platform'],
      ['WEBHOOK', 'Security log'],
    ] as const) {
      const [real] = await rowsOf({ accountId, kind, name: 'form' });
      const [told] = await rowsOf({ accountId, kind, verb: 'created', name });
      const { message: _told, ...form } = { message: '', ...formOf(told) };
      expect(formOf(real)).toMatchObject(form);
    }
  });
});

describe('Access in the demo', () => {
  it('has keys that are in use, forgotten, never used, expiring, expired and revoked', async () => {
    const rows = await gateway.app.services.db.apiKey.findMany({
      where: { accountId: idOf(platformAccount), name: { not: { startsWith: 'form' } } },
    });
    const day = 86_400_000;
    const now = frozenNow.getTime();
    const active = rows.filter(
      ({ expiresAt, revokedAt, name }) =>
        revokedAt === null && name !== 'test' && (expiresAt === null || expiresAt > frozenNow),
    );
    expect(active.some(({ lastUsedAt }) => lastUsedAt !== null && now - lastUsedAt.getTime() < day / 24)).toBe(true);
    expect(active.some(({ lastUsedAt }) => lastUsedAt !== null && now - lastUsedAt.getTime() > 60 * day)).toBe(true);
    expect(active.some(({ lastUsedAt }) => lastUsedAt === null)).toBe(true);
    expect(active.some(({ expiresAt }) => expiresAt !== null && expiresAt.getTime() - now < 7 * day)).toBe(true);
    expect(
      rows.some(({ expiresAt, revokedAt }) => revokedAt === null && expiresAt !== null && expiresAt <= frozenNow),
    ).toBe(true);
    expect(rows.some(({ revokedAt }) => revokedAt !== null)).toBe(true);
  });

  it('has pending and expired invitations, and members who joined at different times', async () => {
    const { db } = gateway.app.services;
    const invitations = await db.invitation.findMany({
      where: { accountId: idOf(platformAccount), name: { not: 'form@example.com' } },
    });
    const open = invitations.filter(({ status }) => status === 'pending');
    expect(open.filter(({ expiresAt }) => expiresAt > frozenNow).length).toBeGreaterThanOrEqual(2);
    expect(open.some(({ expiresAt }) => expiresAt <= frozenNow)).toBe(true);
    const members = await db.accountMember.findMany({ where: { accountId: idOf(platformAccount) } });
    expect(new Set(members.map(({ createdAt }) => createdAt?.getTime())).size).toBeGreaterThan(3);
    expect(demoOwner).toContain('@');
  });

  it('has webhooks that deliver, retry and are paused, with deliveries of recorded changes', async () => {
    const { db } = gateway.app.services;
    const webhooks = await db.webhook.findMany({
      where: { name: { not: 'form' } },
      include: { deliveries: { include: { attempts: true } } },
    });
    expect(webhooks.filter(({ pausedAt }) => pausedAt !== null)).toHaveLength(1);
    expect(webhooks.filter(({ blockedUntil }) => blockedUntil !== null && blockedUntil > frozenNow)).toHaveLength(1);
    const deliveries = webhooks.flatMap((webhook) => webhook.deliveries);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['delivered', 'waiting', 'failed']));
    for (const { sequence, accountId, eventType, resourceId, attemptCount, attempts, status } of deliveries) {
      const change = await db.change.findFirst({ where: { accountId, sequence: sequence ?? 0n } });
      expect(`${change?.kind.toLowerCase()}.${change?.verb}`).toBe(eventType);
      expect(change?.resourceId).toBe(resourceId);
      expect(attempts).toHaveLength(attemptCount);
      const allFailed = attempts.every(({ answer }) => answer?.includes('error') === true);
      expect(allFailed || status !== 'failed').toBe(true);
    }
    // No request may leave the machine.
    expect(webhooks.filter(({ origin }) => !new URL(origin).hostname.endsWith('.invalid'))).toEqual([]);
  });
});
