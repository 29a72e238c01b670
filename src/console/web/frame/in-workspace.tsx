import { Outlet, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Notice } from '../look/notice.js';
import { useViewer } from './viewer.js';

/** The views of a workspace. Users who are not members see that it was not found. */
export function InWorkspace(): ReactElement {
  const { workspace } = useParams({ from: '/w/$workspace' });
  const { workspaces } = useViewer();
  if (workspaces.some(({ name }) => name === workspace)) return <Outlet />;
  return (
    <div className="view">
      <h1 className="hidden">Workspace not found</h1>
      <Notice title={`Workspace “${workspace}” not found`}>It does not exist, or you are not a member.</Notice>
    </div>
  );
}
