import { Outlet, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Notice } from '../look/notice.js';
import { useViewer } from './viewer.js';

/** What is shown of a workspace, for who belongs to it; to others it looks as if it were not there. */
export function InWorkspace(): ReactElement {
  const { workspace } = useParams({ from: '/w/$workspace' });
  const { workspaces } = useViewer();
  if (workspaces.some(({ name }) => name === workspace)) return <Outlet />;
  return (
    <div className="view">
      <h1 className="hidden">Nothing here</h1>
      <Notice title={`There is no workspace “${workspace}” for you`}>
        It may have another name, or you are not one of its members. The menu of workspaces has those that you are in.
      </Notice>
    </div>
  );
}
