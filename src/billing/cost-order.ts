// Lists in the order of cost in a window (decision 131).
import DataLoader from 'dataloader';
import { authorizeAccount, authorizeScope } from '../auth/authorize.js';
import { perRequest } from '../auth/context.js';
import { Prisma } from '../database/client/client.js';
import { invalidParameter } from '../errors.js';
import type { ListInput } from '../store/read/list-input.js';
import { snapshotOf } from '../store/read/ranking.js';
import type { Ranking } from '../store/read/ranking.js';
import { cursorAgeHoursMax, cursorExpired } from '../pagination/cursor.js';
import { hourOf } from './metrics-cursor.js';
import { requireKeptHours, windowFromParameters } from './metrics-query.js';
import { edges, later, narrowed, points } from './metrics-sources.js';
import type { MetricsScope } from './metrics-sources.js';
import { snapshotStatement } from './snapshot-statement.js';
import type { UsageSnapshot } from './snapshot-statement.js';
import type { UsageContext } from '../metering/usage-memory.js';
import { readPresent, usageSources, waitForRollup } from './read-present.js';
import { visibleWorkspaces } from './visible-workspaces.js';
import { splitWindow } from '../metering/window.js';
import type { Window } from '../metering/window.js';

/**
 * Adds the order by cost to a list's input, if requested. It counts the costs that the caller sees in account metrics.
 *
 * @throws 403 without `metrics:read`; 400 for a missing or invalid window.
 */
export function orderedByCost<Input extends ListInput>(ctx: UsageContext, accountId: string, input: Input): Input {
  if (input.orderBy?.field !== 'cost') return input;
  const { direction, window: requested } = input.orderBy;
  if (requested == null) throw invalidParameter('orderBy.window', 'is required by COST');
  const workspaces = visibleWorkspaces(authorizeAccount(ctx, 'metrics:read', accountId));
  const window = windowFromParameters(requested);
  const descending = direction === 'desc';
  const text = JSON.stringify(['cost', accountId, window, descending, workspaces ?? null]);
  return {
    ...input,
    ranking: {
      text,
      read: async (from) => {
        const { rollup, hour } =
          from === undefined ? await currentSnapshot(ctx, accountId, window) : snapshotFromText(snapshotOf(from));
        if (from !== undefined) await waitForRollup(authorizeScope(ctx).reads, accountId, rollup);
        if (hourOf(ctx.now()) - hour > cursorAgeHoursMax) throw cursorExpired(input.fields.cursor);
        const scope = { accountId, filters: {}, workspaces, asOf: rollup, ...splitWindow(window, 'monthly') };
        return { text, descending, snapshot: `${rollup}.${hour}`, ranks: ranksStatement(scope) } satisfies Ranking;
      },
    },
  };
}

function snapshotFromText(text: string): { rollup: string; hour: number } {
  const [rollup = '', hour = ''] = text.split('.');
  return { rollup, hour: Number(hour) };
}

async function currentSnapshot(ctx: UsageContext, accountId: string, window: Window) {
  const { rollup, closedBefore } = await snapshots(ctx).load(accountId);
  requireKeptHours({ window, zoned: undefined }, closedBefore);
  return { rollup, hour: hourOf(ctx.now()) };
}

/** All lists of a request use one snapshot. */
const snapshots = perRequest(
  (ctx: UsageContext) =>
    new DataLoader<string, UsageSnapshot>((accountIds) => Promise.all(accountIds.map((id) => readSnapshot(ctx, id)))),
);

async function readSnapshot(ctx: UsageContext, accountId: string): Promise<UsageSnapshot> {
  return readPresent(usageSources(ctx, authorizeScope(ctx)), accountId, snapshotStatement(accountId), ctx.now);
}

function ranksStatement(scope: MetricsScope): Prisma.Sql {
  return Prisma.sql`
    SELECT "resource_uuid" AS "id", sum("cost") AS "rank"
    FROM (${Prisma.join([points(scope), ...edges(scope), ...later(scope)], ' UNION ALL ')}) AS source
    WHERE ${narrowed(scope)} GROUP BY 1`;
}
