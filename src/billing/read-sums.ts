import type { MetricsScope } from './metrics-sources.js';
import { sumsStatement } from './metrics-statements.js';
import type { GroupPage, Grouping, Sums } from './metrics-statements.js';
import { readPresent } from './read-present.js';
import type { UsageSources } from './read-present.js';

/** One statement, which adds up all groups, of the present or of the moment that is asked for. */
export async function readSums(
  sources: UsageSources,
  scope: MetricsScope,
  grouping: Grouping,
  page: GroupPage,
  now: () => Date,
): Promise<Sums> {
  const statement = sumsStatement(scope, grouping, page);
  if (scope.asOf !== undefined) return JSON.parse(await sources.reads.$text(statement));
  return readPresent(sources, scope.accountId, statement, now);
}
