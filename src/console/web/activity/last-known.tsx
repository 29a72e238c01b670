import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.js';
import { formatDate } from '../look/time.js';
import { Whole } from './change-content.js';
import type { ChangeKind, ChangeVerb } from './change-words.js';

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

/** What tells of all of a resource. */
const wholeVerbs: ChangeVerb[] = ['CREATED', 'UPDATED', 'DELETED'];

interface LastKnownProps {
  workspace: string;
  kind: ChangeKind;
  name: string;
  at: string;
}

/** What something that is gone was like when it was last told of whole. */
export function LastKnown({ workspace, kind, name, at }: LastKnownProps): ReactElement | null {
  const filter = {
    kinds: [kind],
    names: [name],
    verbs: wholeVerbs,
    time: { to: new Date(Date.parse(at) + 1).toISOString() },
  };
  const [{ data }] = useQuery({ query: lastKnownQuery, variables: { workspace, filter } });
  const told = data?.workspace?.changes?.nodes.findLast(({ before, after }) => before !== null || after !== null);
  if (told === undefined) return null;
  return <Whole title={`What it was at ${formatDate(told.time)}`} value={told.after ?? told.before} />;
}
