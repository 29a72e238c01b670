// Executors carry out what a person or a program asked for. The change that an executor reports names the executor, so the
// views look up who asked.
import { graphql } from '../api/graphql.js';
import { useAnswer } from '../api/use-answer.js';
import type { Change } from './activity-queries.js';

const requestsQuery = graphql(`
  query DeletionRequests($workspace: String!, $filter: ChangeFilter!) {
    workspace(name: $workspace) {
      id
      changes(last: 200, filter: $filter) {
        nodes {
          id
          time
          kind
          name
          status
          actor {
            kind
            name
          }
        }
      }
    }
  }
`);

type Reported = Pick<Change, 'id' | 'time' | 'action' | 'kind' | 'name' | 'actor'>;

/** The names of those who asked for the deletions that executors carried out, by the id of the reported change. */
export function useRequesters(
  workspace: string | undefined,
  changes: readonly Reported[],
): ReadonlyMap<string, string> {
  const deletions = changes.filter(
    ({ action, actor, name }) => action === 'DELETED' && actor.kind === 'EXECUTOR' && name !== null,
  );
  const latest = deletions
    .map(({ time }) => time)
    .toSorted()
    .at(-1);
  const [{ data }] = useAnswer({
    query: requestsQuery,
    variables: {
      workspace: workspace ?? '',
      filter: {
        kinds: [...new Set(deletions.map(({ kind }) => kind))],
        names: [...new Set(deletions.flatMap(({ name }) => name ?? []))],
        actions: ['STATUS'],
        ...(latest === undefined ? {} : { time: { to: new Date(Date.parse(latest) + 1).toISOString() } }),
      },
    },
    requestPolicy: 'cache-first',
    pause: workspace === undefined || deletions.length === 0,
  });
  const requests = data?.workspace?.changes?.nodes ?? [];
  return new Map(
    deletions.flatMap(({ id, kind, name, time }): [string, string][] => {
      const request = requests.findLast(
        (each) =>
          each.kind === kind &&
          each.name === name &&
          each.status === 'DELETING' &&
          each.actor.kind !== 'EXECUTOR' &&
          each.time <= time,
      );
      return request?.actor.name == null ? [] : [[id, request.actor.name]];
    }),
  );
}
