import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer, useLastAnswer } from '../api/use-answer.js';
import { useViewActions } from '../frame/shortcuts.js';
import { plural } from '../look/amount.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { Skeletons } from '../look/skeletons.js';
import { useNow } from '../look/time-text.js';
import { ActivityFilters } from './activity-filters.js';
import { activityQuery, latestFirst } from './activity-queries.js';
import type { Changes } from './activity-queries.js';
import { filterOf } from './activity-search.js';
import type { ActivitySearch } from './activity-search.js';
import { ChangeLine } from './change-line.js';
import { ChangePanel } from './change-panel.js';
import { daysOf } from './days.js';
import { useNewChanges } from './use-new-changes.js';
import '../look/beside.css';
import './activity.css';

const route = getRouteApi('/w/$workspace/activity');
const pageSize = 50;

/** The activity of a workspace, the latest first, updated live, with an optional open change. */
export function ActivityView(): ReactElement {
  const { workspace } = route.useParams();
  const { change, at, ...search } = route.useSearch();
  const navigate = useNavigate();
  const close = useCallback(() => {
    void navigate({
      to: '/w/$workspace/activity',
      params: { workspace },
      search: ({ change: _closed, at: _at, ...rest }) => rest,
      replace: true,
      resetScroll: false,
    });
  }, [navigate, workspace]);
  useViewActions(useMemo(() => [{ title: 'Close change', group: 'Activity', keys: ['Escape'], run: close }], [close]));
  const open = change === undefined || at === undefined ? undefined : { workspace, id: change, at };
  return (
    <div className={open === undefined ? 'list-layout' : 'list-layout peeking'}>
      <Feed key={workspace} workspace={workspace} search={search} opened={change} />
      {open !== undefined && (
        <aside className="peek" aria-label="Change details">
          <ChangePanel which={open} onClose={close} />
        </aside>
      )}
    </div>
  );
}

interface FeedProps {
  workspace: string;
  search: ActivitySearch;
  opened: string | undefined;
}

function Feed({ workspace, search, opened }: FeedProps): ReactElement {
  const filter = filterOf(search);
  const [waiting, setWaiting] = useState(0);
  const variables = { workspace, filter, before: search.before ?? null, count: pageSize };
  const [{ data, error }, again] = useAnswer({ query: activityQuery, variables });
  const question = JSON.stringify([workspace, search]);
  const refresh = () => {
    setWaiting(0);
    again({ requestPolicy: 'network-only' });
  };
  useEffect(() => setWaiting(0), [question]);
  useNewChanges({ ...filter, workspaces: [workspace] }, question, (isWatched) => {
    if (isWatched) setWaiting((count) => count + 1);
    else if (search.before === undefined) refresh();
  });
  const answered = data?.workspace?.changes;
  const { shown, isOld } = useLastAnswer(answered == null ? undefined : { changes: answered, search }, error);
  return (
    <div className="view">
      <div className="activity-bar">
        <h1>Activity</h1>
        <ActivityFilters search={search} workspace={workspace} shown={shown?.changes.nodes ?? []} />
        <span className="quiet" role="status">
          {shown === undefined || isOld ? '' : plural(shown.changes.filteredCount, 'change')}
        </span>
        {waiting > 0 && search.before === undefined && (
          <button type="button" className="button" onClick={refresh}>
            Show {plural(waiting, 'new change')}
          </button>
        )}
      </div>
      {shown !== undefined ? (
        <Older isOld={isOld}>
          <Days {...shown} workspace={workspace} opened={opened} />
        </Older>
      ) : error !== undefined ? (
        <FailureNotice error={error} onRetry={refresh} />
      ) : (
        <Skeletons />
      )}
    </div>
  );
}

interface DaysProps {
  changes: Changes;
  search: ActivitySearch;
  workspace: string;
  opened: string | undefined;
}

/** The changes of a page by day, with links to the other pages of its question. */
function Days({ changes, search, workspace, opened }: DaysProps): ReactElement {
  const nowMs = useNow();
  return (
    <>
      {changes.nodes.length === 0 ? (
        <Notice title="No matching activity">
          <Link to="/w/$workspace/activity" params={{ workspace }} className="text-link">
            Clear filters
          </Link>
        </Notice>
      ) : (
        daysOf(latestFirst(changes), nowMs).map(({ label, changes: ofDay }) => (
          <section key={label} aria-label={label}>
            <h2 className="activity-day">{label}</h2>
            <ol className="activity">
              {ofDay.map((change) => (
                <li key={change.id} className={change.id === opened ? 'change open' : 'change'}>
                  <ChangeLine change={change} workspace={workspace} />
                </li>
              ))}
            </ol>
          </section>
        ))
      )}
      <p className="activity-pages">
        {search.before !== undefined && (
          <Link
            to="/w/$workspace/activity"
            params={{ workspace }}
            search={({ before: _before, ...rest }) => rest}
            className="button"
          >
            Newest
          </Link>
        )}
        {changes.pageInfo.hasPreviousPage && changes.pageInfo.startCursor !== null && (
          <Link
            to="/w/$workspace/activity"
            params={{ workspace }}
            search={{ ...search, before: changes.pageInfo.startCursor }}
            className="button"
          >
            Older
          </Link>
        )}
      </p>
    </>
  );
}
