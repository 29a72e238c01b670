import type { ReactElement } from 'react';
import { stateOf, useAnswer } from '../api/use-answer.js';
import type { AnswersState } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import { formatDate } from '../look/time.js';
import { ResourceSnapshot } from './change-content.js';
import type { ChangeKind, ChangeAction } from './change-labels.js';

const lastKnownQuery = graphql(`
  query LastKnown($workspace: String!, $filter: ChangeFilter!) {
    workspace(name: $workspace) {
      id
      changes(last: 50, filter: $filter) {
        nodes {
          id
          time
          before
          after
        }
      }
    }
  }
`);

/** The actions of changes that can contain the whole resource. A deletion that executors carry out begins with a status. */
const snapshotActions: ChangeAction[] = ['CREATED', 'UPDATED', 'STATUS', 'DELETED'];

interface Wanted {
  workspace: string;
  kind: ChangeKind;
  name: string;
  /** The time of the latest change to consider; undefined for all. */
  at: string | undefined;
}

interface LastKnownState {
  time: string;
  record: unknown;
}

/** The last recorded content of a deleted resource, which is undefined if there is none. */
export function useLastKnown(
  { workspace, kind, name, at }: Wanted,
  isWanted: boolean,
): { last: LastKnownState | undefined; state: AnswersState } {
  const filter = {
    kinds: [kind],
    names: [name],
    actions: snapshotActions,
    ...(at === undefined ? {} : { time: { to: new Date(Date.parse(at) + 1).toISOString() } }),
  };
  const asked = useAnswer({ query: lastKnownQuery, variables: { workspace, filter }, pause: !isWanted });
  const latest = asked[0].data?.workspace?.changes?.nodes.findLast(
    ({ before, after }) => isWhole(after) || isWhole(before),
  );
  return {
    last: latest && { time: latest.time, record: isWhole(latest.after) ? latest.after : latest.before },
    state: stateOf(asked),
  };
}

/** Whether a record is a whole resource. That of a status change can be the status alone. */
function isWhole(record: unknown): boolean {
  return typeof record === 'object' && record !== null && 'metadata' in record;
}

/** The last recorded content of a deleted resource. */
export function LastKnown({ time, record }: LastKnownState): ReactElement {
  return <ResourceSnapshot title={`Last known state (${formatDate(time)})`} value={record} />;
}
