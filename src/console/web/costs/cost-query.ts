// A cost query and its result.
import { useMemo } from 'react';
import { useAnswer } from '../api/use-answer.js';
import type { CombinedError } from '@urql/core';
import { pageClient } from '../api/client.js';
import type { VariablesOf } from '../api/graphql.js';
import { labelFilterOf } from '../lists/label-filter.js';
import { nanoFrom } from '../look/decimal.js';
import { dimensions, isDimension, labelKeyOf, resolutions } from './costs-search.js';
import type { CostsSearch, Grouping, Resolution } from './costs-search.js';
import { groupsOf } from './groups.js';
import type { Group } from './groups.js';
import { metricsQuery, nanosOf } from './metrics.js';
import type { Entry } from './metrics.js';
import { fits, usualResolution, windowBefore } from './window.js';
import type { Window } from './window.js';
import type { TimeZone } from './zone.js';

type Variables = VariablesOf<typeof metricsQuery>;

export interface CostAnswer {
  question: CostQuestion;
  resolution: Resolution;
  groups: Group[];
  hasMoreGroups: boolean;
  total: bigint;
  timestamps: string[];
  /** The total of each bucket, including groups that are not loaded. */
  bucketTotals: bigint[];
  dataThrough: string | null;
}

export interface CostQuestion {
  account: string;
  window: Window;
  zone: TimeZone;
  by: readonly Grouping[];
  search: CostsSearch;
}

const groupsMax = 100;

export function variablesOf({ account, window, zone, by, search }: CostQuestion): Variables {
  const { workspace, type, name, dimension, label } = search;
  const labelKeys = by.flatMap((each) => labelKeyOf(each) ?? []);
  return {
    account,
    startTime: window.from,
    endTime: window.to,
    resolution: resolutions[resolutionOf({ search, window, zone })].value,
    timeZone: zone.name,
    groupBy: by.filter(isDimension).map((each) => dimensions[each].value),
    ...(labelKeys.length === 0 ? {} : { groupByLabels: labelKeys }),
    ...(label === undefined ? {} : { labels: label.map(labelFilterOf) }),
    orderBy: { field: 'COST', direction: 'DESC' },
    first: groupsMax,
    ...(workspace === undefined ? {} : { workspace }),
    ...(type === undefined ? {} : { resourceType: type }),
    ...(name === undefined ? {} : { resourceName: name }),
    ...(dimension === undefined ? {} : { dimension }),
  };
}

/** The resolution of the URL if the window allows it, else the default. */
export function resolutionOf({ search, window, zone }: Pick<CostQuestion, 'search' | 'window' | 'zone'>): Resolution {
  const { resolution } = search;
  return resolution !== undefined && fits(resolution, window, zone) ? resolution : usualResolution(window, zone);
}

export function useCosts(question: CostQuestion): {
  answer: CostAnswer | undefined;
  error: CombinedError | undefined;
  again: () => void;
} {
  const variables = variablesOf(question);
  const [grouped, groupAgain] = useAnswer({ query: metricsQuery, variables });
  // Without groups: the total of each bucket for any number of groups.
  const { groupBy: _groupBy, groupByLabels: _labels, orderBy: _orderBy, ...ungrouped } = variables;
  const [summed, sumAgain] = useAnswer({ query: metricsQuery, variables: ungrouped });
  const key = JSON.stringify(question);
  const answer = useMemo((): CostAnswer | undefined => {
    const metrics = grouped.data?.account?.metrics;
    const totals = summed.data?.account?.metrics;
    if (metrics == null || totals == null) return undefined;
    const [all] = totals.entries.nodes;
    return {
      question,
      resolution: resolutionFrom(metrics.resolution),
      groups: groupsOf(metrics.entries.nodes, question.by),
      hasMoreGroups: metrics.entries.pageInfo.hasNextPage,
      total: nanoFrom(metrics.summary.totalCost),
      timestamps: all?.timeseries.map(({ timestamp }) => timestamp) ?? [],
      bucketTotals: all === undefined ? [] : nanosOf(all),
      dataThrough: grouped.data?.account?.dataThrough ?? null,
    };
    // The key says all that the question does.
  }, [grouped.data, summed.data, key]);
  return {
    answer,
    error: grouped.error ?? summed.error,
    again: () => {
      groupAgain({ requestPolicy: 'network-only' });
      sumAgain({ requestPolicy: 'network-only' });
    },
  };
}

/** Loads all groups page by page, for the export and the comparison. */
export async function fetchAllGroups(question: CostQuestion, groupsAtMost = Infinity): Promise<Group[]> {
  const entries: Entry[] = [];
  let after: string | null = null;
  do {
    const variables: Variables = { ...variablesOf(question), after };
    const { data, error } = await pageClient.query(metricsQuery, variables).toPromise();
    if (data?.account?.metrics == null) throw error ?? new Error('The service did not respond.');
    const { nodes, pageInfo } = data.account.metrics.entries;
    entries.push(...nodes);
    after = pageInfo.hasNextPage ? pageInfo.endCursor : null;
  } while (after !== null && entries.length < groupsAtMost);
  return groupsOf(entries, question.by);
}

/** The same query for the previous period, as far as the current one has elapsed. */
export function questionBefore(question: CostQuestion, now: Date): CostQuestion {
  const { resolution: _ofThis, ...search } = question.search;
  const resolution = resolutionOf(question);
  const window = windowBefore(question.window, now, question.zone);
  return { ...question, window, search: fits(resolution, window, question.zone) ? { ...search, resolution } : search };
}

function resolutionFrom(value: string): Resolution {
  const found = Object.entries(resolutions).find(([, each]) => each.value === value)?.[0];
  return found === 'hourly' || found === 'weekly' || found === 'monthly' ? found : 'daily';
}
