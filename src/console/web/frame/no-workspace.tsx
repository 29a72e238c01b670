import type { ReactElement } from 'react';
import { Notice } from '../look/notice.js';
import { useViewer } from './viewer.js';

/** Somebody who belongs to no workspace yet. */
export function NoWorkspace(): ReactElement {
  const { name } = useViewer();
  return (
    <div className="view">
      <h1 className="hidden">Nothing here</h1>
      <Notice title="There is no workspace for you yet">
        An admin of your account can let {name} into one. It shows here as soon as they have.
      </Notice>
    </div>
  );
}
