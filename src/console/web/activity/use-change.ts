import type { CombinedError } from '@urql/core';
import { useEffect, useState } from 'react';
import { pageClient } from '../api/client.js';
import type { VariablesOf } from '../api/graphql.js';
import { changesAtQuery } from './activity-queries.js';
import type { ChangeDetails } from './activity-queries.js';

/** Identifies a change by its id and time. */
export interface WhichChange {
  workspace: string;
  id: string;
  at: string;
}

/**
 * Loads the details of a change.
 *
 * @returns undefined while loading; null if the change does not exist, is not accessible or is past its retention; the
 *   error if the request failed.
 */
export function useChange({ workspace, id, at }: WhichChange): ChangeDetails | CombinedError | null | undefined {
  const key = JSON.stringify([workspace, id, at]);
  const [answer, setAnswer] = useState<{ of: string; found: ChangeDetails | CombinedError | null }>();
  useEffect(() => {
    let isCurrent = true;
    const look = async () => {
      const found = await findChange({ workspace, id, at }, () => isCurrent);
      if (isCurrent) setAnswer({ of: key, found });
    };
    void look();
    return () => {
      isCurrent = false;
    };
  }, [key, workspace, id, at]);
  return answer?.of === key ? answer.found : undefined;
}

async function findChange(which: WhichChange, isWanted: () => boolean): Promise<ChangeDetails | CombinedError | null> {
  const { workspace, id, at } = which;
  const time = { from: at, to: new Date(Date.parse(at) + 1).toISOString() };
  let after: string | null = null;
  do {
    const variables: VariablesOf<typeof changesAtQuery> = { workspace, time, after };
    const { data, error } = await pageClient.query(changesAtQuery, variables).toPromise();
    const changes = data?.workspace?.changes;
    if (changes == null) return error ?? null;
    const found = changes.nodes.find((change) => change.id === id);
    if (found !== undefined) return found;
    after = changes.pageInfo.hasNextPage ? changes.pageInfo.endCursor : null;
  } while (after !== null && isWanted());
  return null;
}
