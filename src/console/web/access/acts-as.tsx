import type { ReactElement } from 'react';
import { scopesText } from './purposes.js';

interface ActsAsProps {
  scopes: readonly string[];
  owner: string;
  /** Where alone; null for everywhere that the owner may. */
  workspace: { name: string } | null;
  /** Networks that it is taken from alone; none for everywhere. */
  from?: readonly string[];
}

/** What a program may do, as whom and where. */
export function ActsAs({ scopes, owner, workspace, from = [] }: ActsAsProps): ReactElement {
  return (
    <p>
      {scopesText(scopes)}
      <span className="quiet">
        {' '}
        as {owner}
        {workspace === null ? ', in all workspaces' : `, in ${workspace.name} alone`}
        {from.length > 0 && `, from ${from.join(', ')}`}
      </span>
    </p>
  );
}
