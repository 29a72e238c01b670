import { CombinedError } from '@urql/core';
import { useEffect, useReducer, useState } from 'react';
import { pageClient } from '../api/client.js';
import { useRetry } from '../api/use-refresh.js';
import { accountChangesAtQuery, changesAtQuery } from './activity-queries.js';
import type { ChangeDetails, ChangesAt } from './activity-queries.js';

/** Identifies a change by its id and time. */
export interface WhichChange {
  /** Undefined for a change of an account. */
  workspace: string | undefined;
  id: string;
  at: string;
}

/** A change of a resource. */
export interface WhichResourceChange extends WhichChange {
  workspace: string;
}

interface FoundChange {
  /**
   * Undefined while loading; null if the change does not exist, is not accessible or is past its retention; the error if the
   * request failed.
   */
  change: ChangeDetails | CombinedError | null | undefined;
  /** Loads it again after an error. */
  again: () => void;
}

/** Loads the details of a change. */
export function useChange({ workspace, id, at }: WhichChange): FoundChange {
  const [attempt, again] = useReducer((count: number) => count + 1, 0);
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
  }, [key, workspace, id, at, attempt]);
  const change = answer?.of === key ? answer.found : undefined;
  useRetry(change instanceof CombinedError ? change : undefined, false, again);
  return { change, again };
}

async function findChange(which: WhichChange, isWanted: () => boolean): Promise<ChangeDetails | CombinedError | null> {
  const { workspace, id, at } = which;
  const time = { from: at, to: new Date(Date.parse(at) + 1).toISOString() };
  let after: string | null = null;
  do {
    const page: ChangesAt | CombinedError | undefined = await changesAt(workspace, time, after);
    if (page === undefined || page instanceof CombinedError) return page ?? null;
    const found = page.nodes.find((change) => change.id === id);
    if (found !== undefined) return found;
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null && isWanted());
  return null;
}

async function changesAt(
  workspace: string | undefined,
  time: { from: string; to: string },
  after: string | null,
): Promise<ChangesAt | CombinedError | undefined> {
  if (workspace === undefined) {
    const { data, error } = await pageClient.query(accountChangesAtQuery, { filter: { time }, after }).toPromise();
    return data?.changes ?? error;
  }
  const { data, error } = await pageClient.query(changesAtQuery, { workspace, time, after }).toPromise();
  return data?.workspace?.changes ?? error;
}
