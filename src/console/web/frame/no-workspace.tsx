import type { ReactElement } from 'react';
import { Notice } from '../look/notice.js';
import { useViewer } from './viewer.js';

/** The home page of a user without workspaces. */
export function NoWorkspace(): ReactElement {
  const { name } = useViewer();
  return (
    <div className="view">
      <h1 className="hidden">No workspaces</h1>
      <Notice title="No workspaces yet">Ask an account admin to add {name} to a workspace.</Notice>
    </div>
  );
}
