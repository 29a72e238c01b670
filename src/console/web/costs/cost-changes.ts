// The changes of the resources behind costs: what may have made them rise.
import { useMemo } from 'react';
import { accountActivityQuery, latestFirst } from '../activity/activity-queries.js';
import type { Change } from '../activity/activity-queries.js';
import { changeSummary } from '../activity/change-summary.js';
import { useAnswer } from '../api/use-answer.js';
import { useViewer } from '../frame/viewer.js';
import type { CostQuestion } from './cost-query.js';
import type { Group } from './groups.js';

/** The most expensive resources whose changes are shown. */
const namesMax = 8;
const readMax = 100;

/** The resources that the groups of a question name: those of its filter, or the most expensive groups. */
function namesOf({ by, search }: CostQuestion, groups: readonly Group[]): string[] {
  if (search.name !== undefined) return [search.name];
  if (!by.includes('resource_name')) return [];
  const names = groups.flatMap(({ values }) => values.resource_name ?? []).filter((name) => name !== '');
  return [...new Set(names)].slice(0, namesMax);
}

/** The changes of resources in the period of a question, newest first. Empty if its groups name no resources. */
export function useCostChanges(question: CostQuestion, groups: readonly Group[]): readonly Change[] {
  const { account, window, search } = question;
  const { workspaces } = useViewer();
  const names = namesOf(question, groups);
  const own = workspaces.filter((each) => each.account.id === account).map(({ name }) => name);
  const [{ data }] = useAnswer({
    query: accountActivityQuery,
    variables: {
      filter: {
        kinds: ['AGENT', 'SANDBOX', 'JOB', 'VOLUME', 'VPC'],
        actions: ['CREATED', 'UPDATED', 'DELETED'],
        names,
        workspaces: search.workspace === undefined ? own : [search.workspace],
        time: window,
      },
      before: null,
      count: readMax,
    },
    requestPolicy: 'cache-first',
    pause: names.length === 0,
  });
  const changes = data?.changes;
  return useMemo(() => {
    if (changes == null || names.length === 0) return none;
    const known = new Set(groups.map(({ workspace, values }) => `${workspace ?? ''} ${values.resource_name ?? ''}`));
    const isShown = ({ workspaceName, name }: Change) =>
      !question.by.includes('resource_name') || known.has(`${workspaceName ?? ''} ${name ?? ''}`);
    return latestFirst(changes).filter(
      (change) => isShown(change) && (change.action !== 'UPDATED' || changeSummary(change) !== ''),
    );
  }, [changes, groups, question.by, names.length]);
}

const none: readonly Change[] = [];
