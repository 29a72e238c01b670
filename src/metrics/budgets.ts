// Budgets of an account, as its admins make, read, change and remove them.
import { authorizeAccount } from '../access/authorize.js';
import type { AuthorizedAccount } from '../access/authorize.js';
import type { RequestContext } from '../access/context.js';
import { recordChanges } from '../changes/record-changes.js';
import type { NewChange } from '../changes/record-changes.js';
import type { Prisma } from '../database/client/client.js';
import type { Budget as BudgetRow, BudgetCrossing as CrossingRow } from '../database/client/client.js';
import { insertNamed } from '../database/taken-name.js';
import { ApiError, forbidden, invalidInput, notFound } from '../errors.js';
import type { ListInput, ListPage } from '../kind/list-input.js';
import { readTogether } from '../kind/read-together.js';
import { resourceName } from '../kind/resource.js';
import { requireVersion } from '../kind/require-version.js';
import { readRowPage } from '../kind/row-list.js';
import type { Placed, RowList } from '../kind/row-list.js';
import { storedFilters, storedPeriod, storedThresholds, usdText } from './budget.js';
import type { BudgetTerms } from './budget.js';
import { readBudget } from './budget-input.js';
import type { BudgetInput } from './budget-input.js';

/** So many can an account have. */
export const budgetsMax = 100;

export interface Budget extends BudgetTerms {
  id: string;
  name: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
  /** When it was last looked at, and what it came to then, in nano-dollars. */
  lookedAt: Date | null;
  actual: bigint | null;
  forecast: bigint | null;
  /** Those of its present version, the latest first. */
  crossings: CrossingRow[];
}

/** By name. @throws 403 but for an admin of the account, by a credential that is confined to no workspace. */
export async function listBudgets(ctx: RequestContext, accountId: string): Promise<Budget[]> {
  const { db, account } = authorizeAdmin(ctx, 'metrics:read', accountId);
  const rows = await db.budget.findMany({
    where: { accountId: account.id },
    ...withCrossings,
    orderBy: { name: 'asc' },
  });
  return rows.map(budgetFromRow);
}

const withCrossings = {
  include: { crossings: { orderBy: [{ crossedAt: 'desc' }, { period: 'desc' }, { percent: 'desc' }] } },
} satisfies Prisma.BudgetDefaultArgs;

/** The same, a page at a time. @throws 403 as listBudgets(); 400 for a cursor, sort or search that breaks a rule. */
export async function listBudgetPage(
  ctx: RequestContext,
  accountId: string,
  input: ListInput,
): Promise<ListPage<Placed<Budget>>> {
  const authorized = authorizeAdmin(ctx, 'metrics:read', accountId);
  const { budget } = authorized.db;
  const list: RowList<Budget> = {
    query: { list: 'budgets', account: accountId },
    within: { accountId: authorized.account.id },
    filters: [],
    searched: ['name'],
    findMany: async (query) => (await budget.findMany({ ...query, ...withCrossings })).map(budgetFromRow),
    count: (where) => budget.count({ where }),
  };
  return readRowPage(authorized, list, input);
}

/** @throws 400, 403; 409 `conflict` for a name that is taken, and for more than the account can have. */
export async function createBudget(
  ctx: RequestContext,
  { account, name, ...input }: BudgetInput & { account: string; name: string },
): Promise<Budget> {
  const authorized = authorizeAdmin(ctx, 'admin', account);
  const { terms } = readTogether({ name: () => requireName(name), terms: () => readBudget(input) });
  return authorized.transaction(async (within) => {
    const { db } = within;
    // One after the other, so that none comes over the limit.
    await db.$executeRaw`SELECT "id" FROM "account" WHERE "id" = ${within.account.id}::uuid FOR UPDATE`;
    if ((await db.budget.count({ where: { accountId: within.account.id } })) >= budgetsMax) {
      throw new ApiError('conflict', `An account can have ${budgetsMax} budgets.`);
    }
    const row = await insertNamed('a budget', name, () =>
      db.budget.create({ data: { accountId: within.account.id, name, ...columnsOf(terms) } }),
    );
    const budget = budgetFromRow({ ...row, crossings: [] });
    await recordChanges(within, [changeOf('created', row, undefined, budget)]);
    return budget;
  });
}

function requireName(name: string): void {
  const read = resourceName.safeParse(name);
  if (read.success) return;
  throw invalidInput([
    { path: ['name'], code: 'invalid_format', message: `name ${read.error.issues[0]?.message ?? ''}` },
  ]);
}

interface NamedBudget {
  account: string;
  name: string;
  ifVersion?: number | null | undefined;
}

/** An absent field stays, null removes. */
export type BudgetChange = { [Field in keyof BudgetInput]?: BudgetInput[Field] | null | undefined };

/**
 * Changes the terms of a budget. What was crossed before is crossed no more, and is told again when it is.
 *
 * @throws 400, 403, 404 `not_found`; 409 `version_mismatch`.
 */
export async function updateBudget(
  ctx: RequestContext,
  { account, name, ifVersion, ...change }: BudgetChange & NamedBudget,
): Promise<Budget> {
  return authorizeAdmin(ctx, 'admin', account).transaction(async (within) => {
    const held = await holdBudget(within, name);
    await requireVersion(within, 'budget', held, ifVersion);
    const before = budgetFromRow({ ...held, crossings: [] });
    const terms = readBudget(changedInput(before, change));
    const row = await within.db.budget.update({
      where: { id: held.id },
      data: {
        ...columnsOf(terms),
        version: { increment: 1 },
        updatedAt: within.ctx.now(),
        lookedAt: null,
        actual: null,
        forecast: null,
      },
    });
    const budget = budgetFromRow({ ...row, crossings: [] });
    await recordChanges(within, [changeOf('updated', row, before, budget)]);
    return budget;
  });
}

/** @returns the budget as it was. @throws 403, 404 `not_found`; 409 `version_mismatch`. */
export async function deleteBudget(ctx: RequestContext, { account, name, ifVersion }: NamedBudget): Promise<Budget> {
  return authorizeAdmin(ctx, 'admin', account).transaction(async (within) => {
    const held = await holdBudget(within, name);
    await requireVersion(within, 'budget', held, ifVersion);
    await within.db.budget.delete({ where: { id: held.id } });
    const budget = budgetFromRow({ ...held, crossings: [] });
    await recordChanges(within, [changeOf('deleted', held, budget, undefined)]);
    return budget;
  });
}

async function holdBudget({ db, account }: AuthorizedAccount, name: string): Promise<BudgetRow> {
  // PostgreSQL keeps no NUL, so nothing has such a name.
  if (name.includes('\0')) throw notFound('budget', name);
  await db.$executeRaw`SELECT "id" FROM "budget" WHERE "account_id" = ${account.id}::uuid AND "name" = ${name} FOR UPDATE`;
  const row = await db.budget.findUnique({ where: { accountId_name: { accountId: account.id, name } } });
  if (row === null) throw notFound('budget', name);
  return row;
}

function changedInput({ amount, period, days, filters, thresholds }: Budget, change: BudgetChange): BudgetInput {
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return {
    days,
    ...filters,
    ...given,
    amount: change.amount ?? usdText(amount),
    period: change.period ?? period,
    thresholds: change.thresholds ?? thresholds,
  };
}

/** The account by its name or id. */
function authorizeAdmin(ctx: RequestContext, scope: 'admin' | 'metrics:read', asked: string): AuthorizedAccount {
  const named = ctx.caller.accounts.find(({ id, name }) => id === asked || name === asked);
  const authorized = authorizeAccount(ctx, scope, named?.id ?? asked);
  if (authorized.account.role === 'admin' && ctx.caller.confinedTo === undefined) return authorized;
  throw forbidden('Budgets are for admins of the account.');
}

function columnsOf({ amount, period, days, filters, thresholds }: BudgetTerms) {
  return {
    amount,
    period,
    days,
    filters,
    thresholds: thresholds.map(({ percent, of }): Prisma.InputJsonObject => ({ percent, of })),
  };
}

function budgetFromRow(row: BudgetRow & { crossings: CrossingRow[] }): Budget {
  return {
    ...row,
    period: storedPeriod.parse(row.period),
    filters: storedFilters.parse(row.filters),
    thresholds: storedThresholds.parse(row.thresholds),
    crossings: row.crossings.filter(({ version }) => version === row.version),
  };
}

function changeOf(
  verb: 'created' | 'updated' | 'deleted',
  { id, name, version }: BudgetRow,
  before: Budget | undefined,
  after: Budget | undefined,
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

function toldTerms({ amount, period, days, filters, thresholds }: Budget): object {
  return { amount: usdText(amount), period, ...(days === null ? {} : { days }), ...filters, thresholds };
}
