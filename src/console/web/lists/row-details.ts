// What a row shows beyond the fields of its list: the reason of a failure and the latest executions of a job. They are
// loaded only for the rows on the screen, in batches, so that a list of 100,000 rows loads no more than before.
import type { AnyVariables, TypedDocumentNode } from '@urql/core';
import DataLoader from 'dataloader';
import { useEffect, useState } from 'react';
import { pageClient } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { useRefresh } from '../api/use-refresh.js';

const reasonsQuery = graphql(`
  query RowReasons($ids: [ID!]!) {
    nodes(ids: $ids) {
      __typename
      ... on Eventful {
        events {
          message
        }
      }
    }
  }
`);

const executionsQuery = graphql(`
  query RowExecutions($ids: [ID!]!) {
    nodes(ids: $ids) {
      __typename
      ... on Job {
        executions(first: 10) {
          nodes {
            id
            status
            metadata {
              id
              createdAt
              startedAt
            }
          }
        }
      }
    }
  }
`);

type JobNode = Extract<
  NonNullable<NonNullable<ResultOf<typeof executionsQuery>['nodes']>[number]>,
  { executions: unknown }
>;

/** The latest executions of a job, the newest first. */
export type RowExecutions = NonNullable<JobNode['executions']>['nodes'];

/** Rows that become visible together are loaded together. */
const togetherMs = 40;
const idsMax = 50;

const reasons = detailLoader(reasonsQuery, ({ nodes }) =>
  (nodes ?? []).map((node) =>
    node !== null && 'events' in node ? (node.events.at(-1)?.message ?? undefined) : undefined,
  ),
);
const executions = detailLoader(executionsQuery, ({ nodes }) =>
  (nodes ?? []).map((node) => (node !== null && 'executions' in node ? (node.executions?.nodes ?? []) : undefined)),
);

/** The latest message of the platform about a failed resource; undefined for others, and until loaded, which each refresh retries. */
export function useReason(row: { id: string; status: string | null; updatedAt: string }): string | undefined {
  const isFailed = row.status === 'FAILED';
  const [reason, setReason] = useState<string>();
  useEffect(() => {
    if (!isFailed) return undefined;
    return loadInto(reasons, row.id, setReason);
  }, [isFailed, row.id, row.updatedAt]);
  useRefresh(() => {
    if (isFailed && reason === undefined) loadInto(reasons, row.id, setReason);
  });
  return isFailed ? reason : undefined;
}

/**
 * The latest ten executions of a job; undefined until loaded. They are loaded again with the list.
 *
 * @param id undefined if nothing shows them
 */
export function useExecutions(id: string | undefined): RowExecutions | undefined {
  const [found, setFound] = useState<RowExecutions>();
  useEffect(() => (id === undefined ? undefined : loadInto(executions, id, setFound)), [id]);
  useRefresh(() => {
    if (id !== undefined) loadInto(executions, id, setFound);
  });
  return found;
}

/** Loads a detail. Returns a function that ignores its result. If it fails, the last known one stays. */
function loadInto<Detail>(
  loader: DataLoader<string, Detail | undefined>,
  id: string,
  show: (detail: Detail | undefined) => void,
): () => void {
  let isCurrent = true;
  const load = async () => {
    const detail = await loader.load(id);
    if (isCurrent) show(detail);
  };
  // The rest of the row stays.
  load().catch(() => {});
  return () => {
    isCurrent = false;
  };
}

function detailLoader<Data, Variables extends AnyVariables & { ids: string[] }, Detail>(
  document: TypedDocumentNode<Data, Variables>,
  detailsOf: (data: Data) => readonly (Detail | undefined)[],
): DataLoader<string, Detail | undefined> {
  return new DataLoader(
    async (ids) => {
      const { data, error } = await pageClient.query<Data, { ids: readonly string[] }>(document, { ids }).toPromise();
      if (data === undefined) throw error ?? new Error('The service did not respond.');
      const details = detailsOf(data);
      return ids.map((_id, index) => details[index]);
    },
    { cache: false, maxBatchSize: idsMax, batchScheduleFn: (callback) => setTimeout(callback, togetherMs) },
  );
}
