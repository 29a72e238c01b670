import { Navigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Notice } from '../look/notice.js';
import { homeWorkspace, useViewer } from './viewer.js';

/** The home page of a user without workspaces. */
export function NoWorkspace(): ReactElement {
  const viewer = useViewer();
  const { name } = viewer;
  const home = homeWorkspace(viewer);
  // The user joined one, or the workspaces were not known when the page was opened.
  if (home !== undefined) return <Navigate to="/w/$workspace" params={{ workspace: home }} replace />;
  return (
    <div className="view">
      <h1 className="hidden">No workspaces</h1>
      <Notice title="No workspaces yet">Ask an account admin to add {name} to a workspace.</Notice>
    </div>
  );
}
