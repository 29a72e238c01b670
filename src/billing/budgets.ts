// Lists and authorizes budgets of an account.
import { authorizeAccountAdmin } from '../auth/authorize.js';
import type { AuthorizedAccount } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { Prisma } from '../database/client/client.js';
import type { Budget as BudgetRow, BudgetCrossing as CrossingRow } from '../database/client/client.js';
import { foldedSql } from '../database/search-pattern.js';
import type { ListInput, ListPage } from '../store/read/list-input.js';
import { readPageById } from '../store/read/read-page.js';
import type { Placed } from '../store/read/read-page.js';
import { defineList } from '../store/read/resource-kind.js';
import { storedTerms } from './budget.js';
import type { BudgetTerms } from './budget.js';

/** The maximum number of budgets of an account. */
export const budgetsMax = 100;

export interface Budget extends BudgetTerms {
  id: string;
  name: string;
  version: number;
  createdAt: Date;
  updatedAt: Date;
  /** The time of the last check, and the cost then (nano-dollars). */
  lookedAt: Date | null;
  actual: bigint | null;
  forecast: bigint | null;
  /** The crossings of the current version, latest first. */
  crossings: CrossingRow[];
}

const withCrossings = {
  include: { crossings: { orderBy: [{ crossedAt: 'desc' }, { period: 'desc' }, { percent: 'desc' }] } },
} satisfies Prisma.BudgetDefaultArgs;

const budgetList = defineList({
  label: 'budget',
  table: 'budget',
  source: Prisma.sql`(
    SELECT b."id", b."name" COLLATE "C" AS "name", b."created_at", b."account_id", ${foldedSql(Prisma.sql`b."name"`)} AS "search"
    FROM "budget" AS b)`,
  isAcrossWorkspaces: true,
  parent: Prisma.sql`r."account_id"`,
  columns: {},
});

/** Returns a page of budgets. @throws 403 like authorizeBudgets(); 400 for an invalid cursor, order or search. */
export async function listBudgetPage(
  ctx: RequestContext,
  accountId: string,
  input: ListInput,
): Promise<ListPage<Placed<Budget>>> {
  const authorized = authorizeBudgets(ctx, 'metrics:read', accountId);
  const { id } = authorized.account;
  const lists = { parents: [{ id }], query: { account: id } };
  return readPageById(authorized, budgetList, lists, input, async (ids) => {
    const prisma = await authorized.db.$prisma();
    const rows = await prisma.budget.findMany({ where: { id: { in: ids } }, ...withCrossings });
    return rows.map(budgetFromRow);
  });
}

/**
 * Authorizes the caller for the budgets of an account, by its name or id.
 *
 * @throws 403 unless the caller is an admin of the account, with a credential not confined to a workspace.
 */
export function authorizeBudgets(
  ctx: RequestContext,
  scope: 'admin' | 'metrics:read',
  account: string,
): AuthorizedAccount {
  return authorizeAccountAdmin(ctx, scope, account, 'can access its budgets');
}

function budgetFromRow(row: BudgetRow & { crossings: CrossingRow[] }): Budget {
  return {
    ...row,
    ...storedTerms.parse(row),
    crossings: row.crossings.filter(({ version }) => version === row.version),
  };
}
