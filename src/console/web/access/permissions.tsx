import type { ReactElement } from 'react';
import { scopesSummary, scopesText } from './purposes.js';
import './access-view.css';

/** The permissions of a credential in a few words, with all of them on request. */
export function Permissions({ scopes }: { scopes: readonly string[] }): ReactElement {
  const [all, summary] = [scopesText(scopes), scopesSummary(scopes)];
  if (summary === all) return <>{all}</>;
  return (
    <details className="scopes">
      <summary title={all}>{summary}</summary>
      <span className="mono wrap">{all}</span>
    </details>
  );
}
