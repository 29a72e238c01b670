import { useEffect, useState } from 'react';
import { fetchAllGroups } from './cost-question.js';
import type { CostQuestion } from './cost-question.js';
import type { Group } from './groups.js';

/** More are not fetched: with some of them missing, what is said of the others would be wrong. */
export const comparedMax = 2_000;

/**
 * What each group cost in a window.
 *
 * @returns undefined until that is known; 'too-many' when there are more groups than are compared.
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
    // Without an answer nothing is compared; the headline says what failed.
    ask().catch(() => {});
    return () => {
      isCurrent = false;
    };
    // The key says all that the question does.
  }, [key, isWanted]);
  return known?.key === key ? known.groups : undefined;
}
