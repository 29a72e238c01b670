import { createContext, useContext } from 'react';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';

export const viewerQuery = graphql(`
  query Viewer {
    viewer {
      name
      displayName
      kind
      scopes
      expiresAt
      accounts {
        id
        name
        displayName
        plan
        viewerRole
      }
      workspaces {
        id
        name
        displayName
        viewerRole
        account {
          id
          name
        }
      }
    }
  }
`);

export type Viewer = ResultOf<typeof viewerQuery>['viewer'];
export type ViewerAccount = Viewer['accounts'][number];

export const ViewerContext = createContext<Viewer | undefined>(undefined);

/** Who is signed in. Every view is inside of what provides it. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === undefined) throw new Error('there is no viewer outside of the frame');
  return viewer;
}

export function useAccount(name: string): ViewerAccount | undefined {
  return useViewer().accounts.find((account) => account.name === name);
}

/** Names for people stand before the names of machines. */
export function titleOf({ displayName, name }: { displayName: string | null; name: string }): string {
  return displayName ?? name;
}

const placeKey = 'console:workspace';

/** Where the viewer was last, else the first workspace. */
export function homeWorkspace(viewer: Viewer): string | undefined {
  const last = localStorage.getItem(placeKey);
  const known = viewer.workspaces.find(({ name }) => name === last) ?? viewer.workspaces[0];
  return known?.name;
}

export function rememberWorkspace(name: string): void {
  localStorage.setItem(placeKey, name);
}
