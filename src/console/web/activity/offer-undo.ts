import { pageClient } from '../api/client.js';
import { graphql } from '../api/graphql.js';
import { loadPart } from '../api/load-part.js';
import type { Which } from '../editing/change-resource.js';
import { showToast } from '../look/toasts.js';

const ownUpdateQuery = graphql(`
  query OwnUpdate($workspace: String!, $resource: ID!, $actors: [String!]) {
    workspace(name: $workspace) {
      id
      changes(last: 1, filter: { resource: $resource, actions: [UPDATED], actors: $actors }) {
        nodes {
          id
          version
          before
          after
        }
      }
    }
  }
`);

interface Updated {
  workspace: string;
  /** Global id of the resource. */
  id: string;
  which: Omit<Which, 'version'>;
  /** The name of the user, whose last change is undone. */
  actor: string;
}

/** Tells the user of an update that was saved. It can be undone if the change log has the previous version. */
export async function offerUndo(title: string, { workspace, id, which, actor }: Updated): Promise<void> {
  const variables = { workspace, resource: id, actors: [actor] };
  const { data } = await pageClient.query(ownUpdateQuery, variables).toPromise();
  const change = data?.workspace?.changes?.nodes[0];
  if (change === undefined || change.before === null || change.after === null) {
    showToast(title);
    return;
  }
  showToast(title, async () => {
    const { rollBack } = await loadPart(() => import('./roll-back.js'));
    return rollBack(which, change);
  });
}
