import type { ReactElement } from 'react';
import { scopesSummary, scopesText } from './purposes.js';
import './access-view.css';

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
  const [all, summary] = [scopesText(scopes), scopesSummary(scopes)];
  return (
    <div>
      {summary === all ? (
        all
      ) : (
        <details className="scopes">
          <summary title={all}>{summary}</summary>
          <span className="mono wrap">{all}</span>
        </details>
      )}
      <p className="quiet">
        as {owner}
        {workspace === null ? ', in all workspaces' : `, only in ${workspace.name}`}
        {from.length > 0 && `, from ${from.join(', ')}`}
      </p>
    </div>
  );
}
