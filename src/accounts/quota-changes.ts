// Sets quotas.
import type { Authorized } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { findJson } from '../database/read-json.js';
import type { Statements } from '../database/transaction.js';
import { ApiError } from '../errors.js';
import { readLimits } from '../quotas/limits.js';
import type { LimitWithUse } from '../quotas/limits.js';
import { thresholdOf, thresholdsBetween } from '../quotas/quota-resources.js';
import { noteCrossings } from '../quotas/use-quotas.js';
import { newResourceId } from '../schema/resource-id.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { Conditions } from '../store/write/change-input.js';
import { changedLimits } from './quota.js';
import type { LimitInput, QuotaLimits } from './quota.js';
import { authorizeQuotas, quotaSetFrom, readQuotaSet } from './quotas.js';
import type { QuotaSet, QuotaTarget, WhichQuotas } from './quotas.js';
import { ownAccountId, recordInAccounts } from './record-in-accounts.js';

export type SetQuotasInput = WhichQuotas & Conditions & { limits: readonly LimitInput[] };

interface StoredQuotas {
  id: string;
  version: number;
  limits: QuotaLimits;
}

/** Quotas before a change, and who made the last one. */
interface LockedQuotas extends StoredQuotas {
  updatedBy?: string | null;
  updatedAt?: string;
}

/**
 * Sets limits of a plan, an account, a workspace or a region; a limit of null is removed. Limits that are not named stay.
 * A limit below the current use changes nothing that exists.
 *
 * @throws 400 `invalid_input`; 403 unless the caller may set them (see authorizeQuotas()); 404; 409 `version_mismatch`.
 */
export async function setQuotas(ctx: RequestContext, input: SetQuotasInput): Promise<QuotaSet> {
  const target = await authorizeQuotas(ctx, input);
  const { subject, accountId, isOfAccountAdmin } = target;
  return runInTransaction<Authorized, QuotaSet>(target.authorized, input.validateOnly, async (within) => {
    const { db } = within;
    const stored = await lockQuotas(db, target);
    await requireQuotaVersion(within, target, stored, input.ifVersion);
    const maxima = isOfAccountAdmin && accountId !== null ? await limitsOfAccount(db, accountId) : {};
    const limits = changedLimits(stored.limits, subject, input.limits, maxima);
    if (isSame(limits, stored.limits)) return readQuotaSet(db, target);
    const version = stored.version + 1;
    const id = stored.version === 0 ? newResourceId(ctx.now()) : stored.id;
    const before = await readLimits(db, accountsOf(target));
    await writeQuotas(within, target, { id, version, limits });
    const after = await readLimits(db, accountsOf(target));
    await noteReached(db, before, after);
    await recordQuotaChange(within, target, { id, version, limits }, stored.limits);
    return quotaSetFrom(target, { version, limits }, after);
  });
}

/**
 * Locks the quotas until the transaction ends. It waits for changes in the workspaces that began without the new limits,
 * because these are not counted yet.
 */
async function lockQuotas(db: Statements, { key, accountId, workspaceId }: QuotaTarget): Promise<LockedQuotas> {
  if (accountId !== null) {
    await db.$executeRaw(Prisma.sql`
      SELECT FROM "workspace" AS w WHERE w."account_id" = ${accountId}::uuid
        AND (${workspaceId}::uuid IS NULL OR w."id" = ${workspaceId}::uuid) ORDER BY w."id" FOR UPDATE`);
  }
  await db.$text(Prisma.sql`SELECT pg_advisory_xact_lock(hashtextextended(${`quota of ${key}`}, 0))::text`);
  const found = await findJson<LockedQuotas>(
    db,
    Prisma.sql`
      SELECT json_build_object('id', q."id", 'version', q."version", 'limits', q."limits",
        'updatedBy', q."updated_by", 'updatedAt', q."updated_at")::text
      FROM "quota" AS q WHERE q."subject" = ${key}`,
  );
  return found ?? { id: '', version: 0, limits: {} };
}

/** @throws 409 `version_mismatch`, with the current version, its author and the fields that changed since. */
async function requireQuotaVersion(
  within: Authorized,
  { accountId }: QuotaTarget,
  { id, version, updatedBy, updatedAt }: LockedQuotas,
  ifVersion: number | null | undefined,
): Promise<void> {
  if (ifVersion == null || ifVersion === version) return;
  const log = accountId ?? ownAccountId(within) ?? null;
  const since =
    log === null || version === 0
      ? []
      : await (
          await within.db.$prisma()
        ).change.findMany({
          where: { accountId: log, resourceId: id, version: { gt: ifVersion } },
          select: { fields: true },
        });
  const message = `The quotas have version ${version}, not ${ifVersion}. Read them again, and send their version.`;
  throw new ApiError('version_mismatch', message, {
    conflict: {
      currentVersion: version,
      updatedBy,
      updatedAt: updatedAt === undefined ? undefined : new Date(updatedAt),
      changedFields: [...new Set(since.flatMap(({ fields }) => fields))].toSorted(),
    },
  });
}

/** SQL condition on the accounts `a` whose limits a change concerns. */
function accountsOf({ accountId, names }: QuotaTarget): Prisma.Sql {
  return accountId === null ? Prisma.sql`a."plan" = ${names.plan}` : Prisma.sql`a."id" = ${accountId}::uuid`;
}

/** Notes the thresholds that uses reach because their limits have changed. */
export async function noteReached(
  db: Pick<Statements, '$executeRaw'>,
  before: readonly LimitWithUse[],
  after: readonly LimitWithUse[],
): Promise<void> {
  const keyOf = ({ subject, resource }: LimitWithUse) => `${subject} ${resource}`;
  const former = new Map(before.map((limit) => [keyOf(limit), limit.limit]));
  const crossings = after.flatMap((limit) => {
    const reached = thresholdOf(limit.used, limit.limit);
    return thresholdsBetween(thresholdOf(limit.used, former.get(keyOf(limit))), reached).map((percent) => ({
      ...limit,
      percent,
    }));
  });
  await noteCrossings(db, crossings);
}

async function limitsOfAccount(db: Statements, accountId: string): Promise<QuotaLimits> {
  const limits = await readLimits(db, Prisma.sql`a."id" = ${accountId}::uuid`);
  const ofAccount = limits.filter(({ workspaceId, region }) => workspaceId === null && region === null);
  return Object.fromEntries(ofAccount.map(({ resource, limit }) => [resource, limit]));
}

function isSame(some: QuotaLimits, others: QuotaLimits): boolean {
  const entries = (limits: QuotaLimits) => JSON.stringify(Object.entries(limits).toSorted());
  return entries(some) === entries(others);
}

async function writeQuotas(
  { db, ctx }: Authorized,
  { key, accountId, workspaceId, names }: QuotaTarget,
  { id, version, limits }: StoredQuotas,
): Promise<void> {
  const by = ctx.caller.isOperator === true ? null : ctx.caller.principal.name;
  await db.$executeRaw(Prisma.sql`
    INSERT INTO "quota" AS q ("id", "subject", "account_id", "workspace_id", "region", "limits", "version", "updated_at",
      "updated_by")
    VALUES (${id}::uuid, ${key}, ${accountId}::uuid, ${workspaceId}::uuid, ${names.region}, ${JSON.stringify(limits)}::jsonb,
      ${version}::int, ${ctx.now()}::timestamptz, ${by})
    ON CONFLICT ("subject") DO UPDATE SET "limits" = EXCLUDED."limits", "version" = EXCLUDED."version",
      "updated_at" = EXCLUDED."updated_at", "updated_by" = EXCLUDED."updated_by"`);
}

/**
 * Records the change in the change log of the account; for a plan, in that of the platform's account. It must be the last
 * statement of a transaction.
 */
async function recordQuotaChange(
  within: Authorized,
  { subject, names, accountId, workspaceId }: QuotaTarget,
  stored: StoredQuotas,
  before: QuotaLimits,
): Promise<void> {
  const { plan, workspace, region, account } = names;
  const name = plan ?? workspace ?? region ?? account ?? '';
  const log = accountId ?? ownAccountId(within);
  const change = quotaChange({ subject, name, workspaceId }, stored, before);
  if (log !== undefined) await recordInAccounts(within, new Map([[log, [change]]]));
}

/** The change record of quotas. */
export function quotaChange(
  { subject, name, workspaceId }: Pick<QuotaTarget, 'subject' | 'workspaceId'> & { name: string },
  { id, version, limits }: StoredQuotas,
  before: QuotaLimits,
): NewChange {
  return {
    kind: 'QUOTA',
    verb: version === 1 ? 'created' : 'updated',
    resourceId: id,
    workspaceId,
    name,
    version,
    before: { subject, limits: before },
    after: { subject, limits },
    event: { type: 'quota', status: 'UPDATED', message: `The quotas of the ${subject} ${name} were set.` },
  };
}
