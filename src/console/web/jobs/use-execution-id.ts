import { CombinedError } from '@urql/core';
import { useEffect, useReducer, useState } from 'react';
import { pageClient } from '../api/client.js';
import { useRetry } from '../api/use-refresh.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';

/** The executions of a job, to find one by the id in the URL. */
const findQuery = graphql(`
  query FindExecution($workspace: String!, $name: String!, $after: String) {
    job(workspace: $workspace, name: $name) {
      id
      executions(first: 200, after: $after) {
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          id
          metadata {
            id
          }
        }
      }
    }
  }
`);

type FindResult = ResultOf<typeof findQuery>;

interface FoundId {
  /** Undefined while loading; null if the job has no such execution; the error if the request failed. */
  found: string | CombinedError | null | undefined;
  /** Looks for it again after an error. */
  again: () => void;
}

/** Finds the global id of an execution by the id in the URL, starting with the newest executions. */
export function useExecutionId(workspace: string, name: string, id: string): FoundId {
  const [attempt, again] = useReducer((count: number) => count + 1, 0);
  const key = JSON.stringify([workspace, name, id]);
  const [answer, setAnswer] = useState<{ of: string; found: string | CombinedError | null }>();
  useEffect(() => {
    const stop = new AbortController();
    const look = async () => {
      let after: string | null = null;
      let found: string | CombinedError | null | undefined;
      while (found === undefined && !stop.signal.aborted) {
        const variables: { workspace: string; name: string; after: string | null } = { workspace, name, after };
        const { data, error } = await pageClient.query(findQuery, variables).toPromise();
        found = error ?? idIn(data, id);
        after = data?.job?.executions?.pageInfo.endCursor ?? null;
      }
      if (!stop.signal.aborted && found !== undefined) setAnswer({ of: key, found });
    };
    void look();
    return () => stop.abort();
  }, [key, workspace, name, id, attempt]);
  const found = answer?.of === key ? answer.found : undefined;
  useRetry(found instanceof CombinedError ? found : undefined, false, again);
  return { found, again };
}

/** Undefined if it may be on a later page. */
function idIn(data: FindResult | undefined, id: string): string | null | undefined {
  const executions = data?.job?.executions;
  const found = executions?.nodes.find(({ metadata }) => metadata.id === id)?.id;
  return found ?? (executions?.pageInfo.hasNextPage === true ? undefined : null);
}
