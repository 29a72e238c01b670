import type { ReactElement } from 'react';
import { scopesText } from './purposes.js';

interface ActsAsProps {
  scopes: readonly string[];
  owner: string;
  /** The only workspace; null for all workspaces of the owner. */
  workspace: { name: string } | null;
  /** The only allowed networks; empty for all networks. */
  from?: readonly string[];
}

/** The permissions, owner and workspace of a credential. */
export function ActsAs({ scopes, owner, workspace, from = [] }: ActsAsProps): ReactElement {
  return (
    <p>
      {scopesText(scopes)}
      <span className="quiet">
        {' '}
        as {owner}
        {workspace === null ? ', in all workspaces' : `, only in ${workspace.name}`}
        {from.length > 0 && `, from ${from.join(', ')}`}
      </span>
    </p>
  );
}
