// Creates, updates and deletes budgets of an account.
import { isDeepStrictEqual } from 'node:util';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { recordChanges } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import { Prisma } from '../database/client/client.js';
import { insertNamed } from '../database/name-taken.js';
import { ApiError, invalidInput, notFound } from '../errors.js';
import { lockRow } from '../store/write/lock-row.js';
import { refuseNull } from '../schema/shape-value.js';
import { readTogether } from '../schema/read-together.js';
import { runInTransaction } from '../auth/run-in-transaction.js';
import type { DryRun } from '../store/write/change-input.js';
import { requireVersion } from '../store/write/require-version.js';
import { resourceName } from '../schema/resource.js';
import { newResourceId } from '../schema/resource-id.js';
import { storedTerms, updatedLook, usdText } from './budget.js';
import { readBudget } from './budget-input.js';
import type { BudgetInput } from './budget-input.js';
import type { BudgetTerms } from './budget.js';
import { authorizeBudgets, budgetsMax } from './budgets.js';
import type { Budget } from './budgets.js';

/** @throws 400; 403; 409 `name_taken`; 409 `conflict` when the account has the maximum number of budgets. */
export async function createBudget(
  ctx: RequestContext,
  { account, name, validateOnly, ...input }: BudgetInput & DryRun & { account: string; name: string },
): Promise<Budget> {
  const authorized = authorizeBudgets(ctx, 'admin', account);
  const { terms } = readTogether({ name: () => requireName(name), terms: () => readBudget(input) });
  return runInTransaction(authorized, validateOnly, async (within) => {
    // Serialize creations, so that concurrent ones cannot exceed the limit.
    await lockRow(
      within.db,
      Prisma.sql`SELECT a."id" FROM "account" AS a WHERE a."id" = ${within.account.id}::uuid FOR UPDATE`,
    );
    const now = ctx.now();
    const times = { createdAt: now, updatedAt: now };
    const budget: Budget = { ...terms, ...times, id: newResourceId(now), name, version: 1, ...unlooked };
    const insert = () => insertBudget(within, budget);
    const inserted = await insertNamed('budget', name, insert, 'name');
    if (inserted === 0) {
      throw new ApiError('conflict', `An account can have at most ${budgetsMax} budgets.`, {
        exceeded: { limit: budgetsMax, actual: budgetsMax + 1 },
      });
    }
    await recordChanges(within, [budgetChange('created', budget, undefined, budget)]);
    return budget;
  });
}

/** The state of a budget that was not checked yet. */
const unlooked = { lookedAt: null, actual: null, forecast: null, crossings: [] };

/** @returns 0 if the account has the maximum number of budgets. */
async function insertBudget({ account, db }: AuthorizedAccount, budget: Budget): Promise<number> {
  const { id, name, amount, period, days, filters, thresholds, action, version, createdAt, updatedAt } = budget;
  return db.$executeRaw(Prisma.sql`
    INSERT INTO "budget" ("id", "account_id", "name", "amount", "period", "days", "filters", "thresholds", "action",
      "version", "created_at", "updated_at")
    SELECT ${id}::uuid, ${account.id}::uuid, ${name}, ${amount}::bigint, ${period}, ${days}::int,
      ${JSON.stringify(filters)}::jsonb, ${JSON.stringify(thresholds)}::jsonb, ${action},
      ${version}::int, ${createdAt}::timestamptz, ${updatedAt}::timestamptz
    WHERE (SELECT count(*) FROM "budget" AS b WHERE b."account_id" = ${account.id}::uuid) < ${budgetsMax}::int`);
}

function requireName(name: string): void {
  const read = resourceName.safeParse(name);
  if (read.success) return;
  throw invalidInput([
    { path: ['name'], code: 'invalid_format', message: `name ${read.error.issues[0]?.message ?? ''}` },
  ]);
}

interface NamedBudget extends DryRun {
  account: string;
  name: string;
  ifVersion?: number | null | undefined;
}

/** An absent field is unchanged; null clears it. */
export type BudgetChange = { [Field in keyof BudgetInput]?: BudgetInput[Field] | null | undefined };

/**
 * Updates the terms of a budget. Its crossings are reset, so a threshold that is crossed again is notified again.
 *
 * @throws 400, 403, 404 `not_found`; 409 `version_mismatch`.
 */
export async function updateBudget(
  ctx: RequestContext,
  { account, name, ifVersion, validateOnly, ...change }: BudgetChange & NamedBudget,
): Promise<Budget> {
  const authorized = authorizeBudgets(ctx, 'admin', account);
  refuseNull(change, ['amount', 'period', 'thresholds']);
  return runInTransaction(authorized, validateOnly, async (within) => {
    const before = await lockBudget(within, name);
    await requireVersion(within, 'budget', before, ifVersion);
    const terms = readBudget(changedInput(before, change));
    // The same usage costs the same, so a used-up budget goes on to stop until the next check.
    const { actual, forecast } = isOfSameUsage(before, terms) ? before : unlooked;
    const times = { version: before.version + 1, updatedAt: ctx.now() };
    const budget: Budget = { ...before, ...terms, ...unlooked, actual, forecast, ...times };
    await writeBudget(within, budget);
    await recordChanges(within, [budgetChange('updated', budget, before, budget)]);
    return budget;
  });
}

function isOfSameUsage(one: BudgetTerms, other: BudgetTerms): boolean {
  return isDeepStrictEqual([one.period, one.days, one.filters], [other.period, other.days, other.filters]);
}

async function writeBudget({ db }: AuthorizedAccount, budget: Budget): Promise<void> {
  const { id, amount, period, days, filters, thresholds, action, version, updatedAt, actual, forecast } = budget;
  await db.$executeRaw(Prisma.sql`
    UPDATE "budget" SET "amount" = ${amount}::bigint, "period" = ${period}, "days" = ${days}::int,
      "filters" = ${JSON.stringify(filters)}::jsonb, "thresholds" = ${JSON.stringify(thresholds)}::jsonb,
      "action" = ${action}, "version" = ${version}::int, "updated_at" = ${updatedAt}::timestamptz,
      "looked_at" = NULL, "stored_look" = ${updatedLook}::int, "actual" = ${actual}::bigint, "forecast" = ${forecast}::bigint
    WHERE "id" = ${id}::uuid`);
}

/** @returns the deleted budget. @throws 403, 404 `not_found`; 409 `version_mismatch`. */
export async function deleteBudget(
  ctx: RequestContext,
  { account, name, ifVersion, validateOnly }: NamedBudget,
): Promise<Budget> {
  return runInTransaction(authorizeBudgets(ctx, 'admin', account), validateOnly, async (within) => {
    const budget = await lockBudget(within, name);
    await requireVersion(within, 'budget', budget, ifVersion);
    await within.db.$executeRaw(Prisma.sql`DELETE FROM "budget" WHERE "id" = ${budget.id}::uuid`);
    await recordChanges(within, [budgetChange('deleted', budget, budget, undefined)]);
    return budget;
  });
}

/** A budget row as PostgreSQL returns it in JSON, with large numbers as text. */
interface BudgetJson extends Pick<Budget, 'id' | 'name' | 'version' | 'days'> {
  amount: string;
  actual: string | null;
  forecast: string | null;
  period: unknown;
  filters: unknown;
  thresholds: unknown;
  action: unknown;
  createdAt: string;
  updatedAt: string;
  lookedAt: string | null;
  crossings: (Omit<Budget['crossings'][number], 'cost' | 'crossedAt'> & { cost: string; crossedAt: string })[];
}

/** Reads a budget, and locks it until the transaction ends. @throws 404 */
async function lockBudget(within: AuthorizedAccount, name: string): Promise<Budget> {
  // PostgreSQL cannot store NUL, so no budget has such a name.
  if (name.includes('\0')) throw notFound('budget', name);
  const row = await lockRow<BudgetJson>(
    within.db,
    Prisma.sql`
      SELECT b."id", b."name", b."version", b."amount"::text, b."period", b."days", b."filters", b."thresholds",
        b."action", b."created_at" AS "createdAt", b."updated_at" AS "updatedAt", b."looked_at" AS "lookedAt",
        b."actual"::text, b."forecast"::text, (
          SELECT coalesce(json_agg(json_build_object('budgetId', c."budget_id", 'version', c."version", 'period', c."period",
            'measure', c."measure", 'percent', c."percent", 'cost', c."cost"::text, 'crossedAt', c."crossed_at")
            ORDER BY c."crossed_at" DESC, c."period" DESC, c."percent" DESC), '[]')
          FROM "budget_crossing" AS c WHERE c."budget_id" = b."id" AND c."version" = b."version") AS "crossings"
      FROM "budget" AS b WHERE b."account_id" = ${within.account.id}::uuid AND b."name" = ${name}
      FOR UPDATE`,
  );
  if (row === null) throw notFound('budget', name);
  return budgetFromJson(row);
}

function budgetFromJson({ lookedAt, actual, forecast, crossings, ...row }: BudgetJson): Budget {
  return {
    ...row,
    amount: BigInt(row.amount),
    ...storedTerms.parse(row),
    createdAt: new Date(row.createdAt),
    updatedAt: new Date(row.updatedAt),
    lookedAt: lookedAt === null ? null : new Date(lookedAt),
    actual: actual === null ? null : BigInt(actual),
    forecast: forecast === null ? null : BigInt(forecast),
    crossings: crossings.map((each) => ({ ...each, cost: BigInt(each.cost), crossedAt: new Date(each.crossedAt) })),
  };
}

function changedInput(
  { amount, period, days, filters, thresholds, action }: Budget,
  change: BudgetChange,
): BudgetInput {
  const defined = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return {
    days,
    action,
    ...filters,
    ...defined,
    amount: change.amount ?? usdText(amount),
    period: change.period ?? period,
    thresholds: change.thresholds ?? thresholds,
  };
}

/** The change of a budget's terms, for the change log. */
export function budgetChange(
  verb: 'created' | 'updated' | 'deleted',
  { id, name, version }: Pick<Budget, 'id' | 'name' | 'version'>,
  before: BudgetTerms | undefined,
  after: BudgetTerms | undefined,
): NewChange {
  return {
    kind: 'BUDGET',
    verb,
    resourceId: id,
    name,
    version,
    before: before && toldTerms(before),
    after: after && toldTerms(after),
    event: { type: 'budget', status: verb.toUpperCase(), message: `The budget ${name} was ${verb}.` },
  };
}

function toldTerms({ amount, period, days, filters, thresholds, action }: BudgetTerms): object {
  return { amount: usdText(amount), period, ...(days === null ? {} : { days }), ...filters, thresholds, action };
}
