import { useEffect, useState } from 'react';
import { fetchAllGroups } from './cost-query.js';
import type { CostQuestion } from './cost-query.js';
import type { Group } from './groups.js';

/** The limit for comparisons. Comparing only some of the groups would be wrong. */
export const comparedMax = 2_000;

/**
 * Loads the costs of all groups of a period.
 *
 * @returns undefined while loading; 'too-many' above the limit.
 */
export function useGroupsOf(question: CostQuestion, isWanted: boolean): readonly Group[] | 'too-many' | undefined {
  const [known, setKnown] = useState<{ key: string; groups: readonly Group[] | 'too-many' }>();
  const key = JSON.stringify(question);
  useEffect(() => {
    if (!isWanted) return undefined;
    let isCurrent = true;
    const ask = async () => {
      const groups = await fetchAllGroups(question, comparedMax + 1);
      if (isCurrent) setKnown({ key, groups: groups.length > comparedMax ? 'too-many' : groups });
    };
    // Without a result nothing is compared. The headline shows the error.
    ask().catch(() => {});
    return () => {
      isCurrent = false;
    };
    // The key says all that the question does.
  }, [key, isWanted]);
  return known?.key === key ? known.groups : undefined;
}
