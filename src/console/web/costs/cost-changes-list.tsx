import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Change } from '../activity/activity-queries.js';
import { ChangeLine } from '../activity/change-line.js';
import { plural } from '../look/amount.js';

const shownMax = 4;

/** The latest changes of the resources in a chart. Each opens its details. */
export function CostChangesList({ changes }: { changes: readonly Change[] }): ReactElement | null {
  const [isWhole, setWhole] = useState(false);
  if (changes.length === 0) return null;
  const shown = isWhole ? changes : changes.slice(0, shownMax);
  return (
    <section className="cost-changes" aria-labelledby="cost-changes-title">
      <h2 id="cost-changes-title">Changes of these resources</h2>
      <ul className="changed">
        {shown.map((change) => (
          <li key={change.id} className="change">
            <ChangeLine change={change} place={{ workspace: change.workspaceName ?? '' }} />
          </li>
        ))}
      </ul>
      {changes.length > shownMax && (
        <button type="button" className="link-button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${plural(changes.length, 'change')}`}
        </button>
      )}
    </section>
  );
}
