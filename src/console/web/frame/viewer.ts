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
      isPlatformAdmin
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

/** The signed-in user. Every view is inside the provider. */
export function useViewer(): Viewer {
  const viewer = useContext(ViewerContext);
  if (viewer === undefined) throw new Error('useViewer must be used inside the frame');
  return viewer;
}

export function useAccount(name: string): ViewerAccount | undefined {
  return useViewer().accounts.find((account) => account.name === name);
}

/** The display name, or the name if there is none. */
export function titleOf({ displayName, name }: { displayName: string | null; name: string }): string {
  return displayName ?? name;
}

const placeKey = 'console:workspace';

/** The last visited workspace, or the first one. */
export function homeWorkspace(viewer: Viewer): string | undefined {
  const last = localStorage.getItem(placeKey);
  const known = viewer.workspaces.find(({ name }) => name === last) ?? viewer.workspaces[0];
  return known?.name;
}

export function rememberWorkspace(name: string): void {
  localStorage.setItem(placeKey, name);
}
