import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { activityQuery, latestFirst } from '../activity/activity-queries.js';
import { filterOf } from '../activity/activity-search.js';
import { ChangeLine } from '../activity/change-line.js';
import { useRequesters } from '../activity/requesters.js';
import { useNewChanges } from '../activity/use-new-changes.js';
import { FailureNotice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';

const shownMax = 8;
/** More than are shown, because changes can be reported late and are sorted by time. */
const readMax = 20;

/** The latest changes, updated live. */
export function RecentActivity({ workspace }: { workspace: string }): ReactElement {
  const variables = { workspace, filter: filterOf({}), before: null, count: readMax };
  const [{ data, error }, again] = useAnswer({ query: activityQuery, variables });
  useNewChanges({ ...filterOf({}), workspaces: [workspace] }, workspace, () =>
    again({ requestPolicy: 'network-only' }),
  );
  const changes = data?.workspace?.changes;
  const shown = changes == null ? [] : latestFirst(changes).slice(0, shownMax);
  const requesters = useRequesters(workspace, shown);
  return (
    <section className="panel" aria-labelledby="changed-title">
      <header>
        <h2 id="changed-title">Recent activity</h2>
        <Link to="/w/$workspace/activity" params={{ workspace }} className="text-link">
          View activity
        </Link>
      </header>
      {changes == null ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
        )
      ) : changes.nodes.length === 0 ? (
        <p className="quiet">No activity yet.</p>
      ) : (
        <ul className="changed">
          {shown.map((change) => (
            <li key={change.id} className="change">
              <ChangeLine change={change} place={{ workspace }} requestedBy={requesters.get(change.id)} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
