import type { Statements } from '../database/open.js';
import { foldUsage } from '../usage/usage-fold.js';
import type { MetricsScope } from './metrics-sources.js';
import { sumsStatement } from './metrics-statements.js';
import type { GroupPage, Grouping, Sums } from './metrics-statements.js';

/** One statement, which adds up all groups. When usage waits it is folded, and the statement runs again. */
export async function readSums(
  db: Statements,
  scope: MetricsScope,
  grouping: Grouping,
  page: GroupPage,
  now: () => Date,
): Promise<Sums> {
  const statement = sumsStatement(scope, grouping, page);
  const sums: Sums = JSON.parse(await db.$text(statement));
  if (!sums.waits || scope.asOf !== undefined) return sums;
  await foldUsage(db, scope.accountId, now());
  return JSON.parse(await db.$text(statement));
}
