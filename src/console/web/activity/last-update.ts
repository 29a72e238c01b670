import { pageClient } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import type { WhichResourceChange } from './use-change.js';

const lastUpdateQuery = graphql(`
  query LastUpdate($workspace: String!, $resource: ID!) {
    workspace(name: $workspace) {
      id
      changes(last: 1, filter: { resource: $resource, actions: [UPDATED] }) {
        nodes {
          id
          time
        }
      }
    }
  }
`);

/** The last update of a resource; undefined if the change log has none. */
export async function lastUpdate(workspace: string, resource: string): Promise<WhichResourceChange | undefined> {
  const { data } = await pageClient.query(lastUpdateQuery, { workspace, resource }).toPromise();
  const change = data?.workspace?.changes?.nodes[0];
  return change && { workspace, id: change.id, at: change.time };
}
