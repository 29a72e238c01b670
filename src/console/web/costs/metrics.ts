// The cost query and sums of its results. Amounts stay exact, in nano-dollars.
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { nanoFrom } from '../look/decimal.js';

export const metricsQuery = graphql(`
  query Metrics(
    $account: ID!
    $startTime: DateTime!
    $endTime: DateTime!
    $resolution: MetricsResolution
    $groupBy: [MetricsDimension!]
    $groupByLabels: [String!]
    $labels: [LabelFilter!]
    $orderBy: MetricsOrder
    $workspace: String
    $resourceType: String
    $resourceName: String
    $dimension: String
    $timeZone: String
    $first: Int
    $after: String
  ) {
    account(id: $account) {
      id
      dataThrough
      metrics(
        startTime: $startTime
        endTime: $endTime
        resolution: $resolution
        groupBy: $groupBy
        groupByLabels: $groupByLabels
        labels: $labels
        orderBy: $orderBy
        workspace: $workspace
        resourceType: $resourceType
        resourceName: $resourceName
        billingDimension: $dimension
        timeZone: $timeZone
      ) {
        startTime
        endTime
        resolution
        timeZone
        summary {
          totalCost
          totalUsage
        }
        entries(first: $first, after: $after) {
          pageInfo {
            hasNextPage
            endCursor
          }
          nodes {
            workspaceName
            resourceType
            resourceName
            resourceUuid
            billingDimension
            labels {
              key
              value
            }
            cost
            usage
            timeseries {
              timestamp
              cost
            }
          }
        }
      }
    }
  }
`);

export type Metrics = NonNullable<NonNullable<ResultOf<typeof metricsQuery>['account']>['metrics']>;
export type Entry = Metrics['entries']['nodes'][number];

const dayMs = 86_400_000;

/** One line of a stacked chart: a group, and what it cost in each bucket. */
export interface Series {
  key: string;
  label: string;
  nanos: readonly bigint[];
}

export function nanosOf(entry: Entry): bigint[] {
  return entry.timeseries.map(({ cost }) => nanoFrom(cost));
}

export function totalOf(nanos: Iterable<bigint>): bigint {
  let sum = 0n;
  for (const nano of nanos) sum += nano;
  return sum;
}

export function monthWindow(now: Date): { startTime: string; endTime: string } {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return {
    startTime: new Date(Date.UTC(year, month, 1)).toISOString(),
    endTime: new Date(Date.UTC(year, month + 1, 1)).toISOString(),
  };
}

/** Whole days that end with the last one that is over. */
export function pastDays(now: Date, days: number): { startTime: string; endTime: string } {
  const end = Math.floor(now.getTime() / dayMs) * dayMs;
  return { startTime: new Date(end - days * dayMs).toISOString(), endTime: new Date(end).toISOString() };
}
