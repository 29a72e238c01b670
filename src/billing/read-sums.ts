import type { MetricsScope } from './metrics-sources.js';
import { sumsStatement } from './metrics-statements.js';
import type { GroupPage, Grouping, Sums } from './metrics-statements.js';
import { readPresent } from './read-present.js';
import type { UsageSources } from './read-present.js';
import { readJson } from '../database/read-json.js';

/** Adds up all groups in one statement, for the present or a given snapshot. */
export async function readSums(
  sources: UsageSources,
  scope: MetricsScope,
  grouping: Grouping,
  page: GroupPage,
  now: () => Date,
): Promise<Sums> {
  const statement = sumsStatement(scope, grouping, page);
  if (scope.asOf !== undefined) return readJson(sources.reads, statement);
  return readPresent(sources, scope.accountId, statement, now);
}
