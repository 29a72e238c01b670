import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { Notice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { useViewer, viewerQuery } from './viewer.js';

/** The gateway remembers the workspaces of a user for less than this time (milliseconds). */
const rememberedMs = 1_000;

/** The views of a workspace. Users who are not members see that it was not found. */
export function InWorkspace(): ReactElement {
  const { workspace } = useParams({ from: '/w/$workspace' });
  const { workspaces } = useViewer();
  const [notFound, setNotFound] = useState<string>();
  const isKnown = workspaces.some(({ name }) => name === workspace);
  // The gateway may not know yet that the user is a member of a new workspace.
  useEffect(() => {
    if (isKnown) return undefined;
    const again = setTimeout(() => {
      void client
        .query(viewerQuery, {}, { requestPolicy: 'network-only' })
        .toPromise()
        .then(() => setNotFound(workspace));
    }, rememberedMs);
    return () => clearTimeout(again);
  }, [isKnown, workspace]);
  if (isKnown) return <Outlet />;
  if (notFound !== workspace) {
    return (
      <div className="view">
        <Skeletons />
      </div>
    );
  }
  return (
    <div className="view">
      <h1 className="hidden">Workspace not found</h1>
      <Notice title={`Workspace “${workspace}” not found`}>It does not exist, or you are not a member.</Notice>
    </div>
  );
}
