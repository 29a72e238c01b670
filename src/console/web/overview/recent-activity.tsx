import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { activityQuery, latestFirst } from '../activity/activity-queries.js';
import { ChangeLine } from '../activity/change-line.js';
import { useNewChanges } from '../activity/use-new-changes.js';
import { Skeletons } from '../look/skeletons.js';

const shownMax = 8;
/** More than are shown, because changes can be reported late and are sorted by time. */
const readMax = 40;

/** The latest changes, updated live. */
export function RecentActivity({ workspace }: { workspace: string }): ReactElement {
  const variables = { workspace, filter: {}, before: null, count: readMax };
  const [{ data, error }, again] = useAnswer({ query: activityQuery, variables });
  useNewChanges({ workspaces: [workspace] }, workspace, () => again({ requestPolicy: 'network-only' }));
  const changes = data?.workspace?.changes;
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
          <p className="quiet">Could not load the activity. Retrying automatically.</p>
        )
      ) : changes.nodes.length === 0 ? (
        <p className="quiet">No activity yet.</p>
      ) : (
        <ul className="changed">
          {latestFirst(changes)
            .slice(0, shownMax)
            .map((change) => (
              <li key={change.id} className="change">
                <ChangeLine change={change} workspace={workspace} />
              </li>
            ))}
        </ul>
      )}
    </section>
  );
}
