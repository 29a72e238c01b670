import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.js';
import { formatDate } from '../look/time.js';
import { ResourceSnapshot } from './change-content.js';
import type { ChangeKind, ChangeAction } from './change-labels.js';

/** The latest changes of a resource that have its content. */
export const lastKnownQuery = graphql(`
  query LastKnown($workspace: String!, $filter: ChangeFilter!) {
    workspace(name: $workspace) {
      id
      changes(last: 50, filter: $filter) {
        nodes {
          id
          time
          action
          before
          after
        }
      }
    }
  }
`);

/** The actions of changes that contain the whole resource. */
export const snapshotActions: ChangeAction[] = ['CREATED', 'UPDATED', 'DELETED'];

interface LastKnownProps {
  workspace: string;
  kind: ChangeKind;
  name: string;
  at: string;
}

/** The last recorded content of a deleted resource. */
export function LastKnown({ workspace, kind, name, at }: LastKnownProps): ReactElement | null {
  const filter = {
    kinds: [kind],
    names: [name],
    actions: snapshotActions,
    time: { to: new Date(Date.parse(at) + 1).toISOString() },
  };
  const [{ data }] = useQuery({ query: lastKnownQuery, variables: { workspace, filter } });
  const latest = data?.workspace?.changes?.nodes.findLast(({ before, after }) => before !== null || after !== null);
  if (latest === undefined) return null;
  return (
    <ResourceSnapshot title={`Last known state (${formatDate(latest.time)})`} value={latest.after ?? latest.before} />
  );
}
