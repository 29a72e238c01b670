import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { NoAccount } from '../access/no-account.js';
import { useAnswer, useLastAnswer } from '../api/use-answer.js';
import { useViewActions } from '../frame/shortcuts.js';
import { useAccount } from '../frame/viewer.js';
import { plural } from '../look/amount.js';
import { Beside } from '../look/beside.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { Skeletons } from '../look/skeletons.js';
import { useNow } from '../look/time-text.js';
import { ListCount } from '../look/list-count.js';
import { ActivityFilters } from './activity-filters.js';
import { ActivityLink } from './activity-link.js';
import type { ActivityPlace } from './activity-link.js';
import { accountActivityQuery, activityQuery, latestFirst } from './activity-queries.js';
import type { Changes } from './activity-queries.js';
import { filterOf } from './activity-search.js';
import type { ActivitySearch } from './activity-search.js';
import { ChangeLine } from './change-line.js';
import { ChangePanel } from './change-panel.js';
import { daysOf } from './days.js';
import { useRequesters } from './requesters.js';
import { useNewChanges } from './use-new-changes.js';
import './activity.css';

const route = getRouteApi('/w/$workspace/activity');
const accountRoute = getRouteApi('/a/$account/activity');
const pageSize = 50;

/** The activity of a workspace. */
export function ActivityView(): ReactElement {
  const { workspace } = route.useParams();
  const navigate = useNavigate();
  const onSearch = useCallback(
    (search: ActivitySearch, resetScroll = true) =>
      void navigate({ to: '/w/$workspace/activity', params: { workspace }, search, replace: true, resetScroll }),
    [navigate, workspace],
  );
  return <Activity key={workspace} place={{ workspace }} search={route.useSearch()} onSearch={onSearch} />;
}

/** The activity of an account: members, credentials, budgets, quotas and workspaces. Only for its admins. */
export function AccountActivityView(): ReactElement {
  const { account: name } = accountRoute.useParams();
  const account = useAccount(name);
  const search = accountRoute.useSearch();
  const navigate = useNavigate();
  const onSearch = useCallback(
    (next: ActivitySearch, resetScroll = true) =>
      void navigate({
        to: '/a/$account/activity',
        params: { account: name },
        search: next,
        replace: true,
        resetScroll,
      }),
    [navigate, name],
  );
  if (account === undefined) return <NoAccount name={name} />;
  if (account.viewerRole !== 'ADMIN') {
    return (
      <div className="view">
        <h1 className="hidden">Account activity</h1>
        <Notice title="Only account admins can view the activity of the account">
          Ask an account admin for access.
        </Notice>
      </div>
    );
  }
  return <Activity key={name} place={{ account: name }} search={search} onSearch={onSearch} />;
}

interface ActivityProps {
  place: ActivityPlace;
  search: ActivitySearch;
  onSearch: (search: ActivitySearch, resetScroll?: boolean) => void;
}

/** Changes, the latest first, updated live, with an optional open change. */
function Activity({ place, search: whole, onSearch }: ActivityProps): ReactElement {
  const { change, at, ...search } = whole;
  const latest = useRef(search);
  useEffect(() => {
    latest.current = search;
  });
  const close = useCallback(() => onSearch(latest.current, false), [onSearch]);
  useViewActions(useMemo(() => [{ title: 'Close change', group: 'Activity', keys: ['Escape'], run: close }], [close]));
  const open = change === undefined || at === undefined ? undefined : { workspace: place.workspace, id: change, at };
  return (
    <div className={open === undefined ? 'list-layout' : 'list-layout peeking'}>
      <Feed place={place} search={search} opened={change} onSearch={onSearch} />
      {open !== undefined && (
        <Beside label="Change details" opened=".change.open .change-open">
          <ChangePanel which={open} place={place} onClose={close} />
        </Beside>
      )}
    </div>
  );
}

interface FeedProps {
  place: ActivityPlace;
  search: ActivitySearch;
  opened: string | undefined;
  onSearch: (search: ActivitySearch) => void;
}

function Feed({ place, search, opened, onSearch }: FeedProps): ReactElement {
  const isOfAccount = place.account !== undefined;
  const filter = filterOf(search, isOfAccount);
  const [waiting, setWaiting] = useState(0);
  const page = { filter, before: search.before ?? null, count: pageSize };
  const [ofWorkspace, workspaceAgain] = useAnswer({
    query: activityQuery,
    variables: { workspace: place.workspace ?? '', ...page },
    pause: isOfAccount,
  });
  const [ofAccount, accountAgain] = useAnswer({ query: accountActivityQuery, variables: page, pause: !isOfAccount });
  const { error } = isOfAccount ? ofAccount : ofWorkspace;
  const answered = isOfAccount ? ofAccount.data?.changes : ofWorkspace.data?.workspace?.changes;
  const question = JSON.stringify([place, search]);
  const refresh = () => {
    setWaiting(0);
    (isOfAccount ? accountAgain : workspaceAgain)({ requestPolicy: 'network-only' });
  };
  useEffect(() => setWaiting(0), [question]);
  const watched = place.workspace === undefined ? filter : { ...filter, workspaces: [place.workspace] };
  useNewChanges(watched, question, (isWatched) => {
    if (isWatched) setWaiting((count) => count + 1);
    else if (search.before === undefined) refresh();
  });
  const { shown, isOld } = useLastAnswer(answered == null ? undefined : { changes: answered, search }, error);
  return (
    <div className="view" data-scroll-restoration-id="list">
      <div className="activity-bar">
        <h1>{isOfAccount ? 'Account activity' : 'Activity'}</h1>
        <ActivityFilters search={search} place={place} shown={shown?.changes.nodes ?? []} onChange={onSearch} />
        <ListCount
          of="changes"
          text={shown === undefined || isOld ? undefined : plural(shown.changes.filteredCount, 'change')}
          error={error}
        />
        {waiting > 0 && search.before === undefined && (
          <button type="button" className="button" onClick={refresh}>
            Show {plural(waiting, 'new change')}
          </button>
        )}
      </div>
      {shown !== undefined ? (
        <Older isOld={isOld}>
          <Days {...shown} place={place} opened={opened} />
        </Older>
      ) : error !== undefined ? (
        <FailureNotice error={error} onRetry={refresh}>
          <NewestLink place={place} search={search} />
        </FailureNotice>
      ) : (
        <Skeletons />
      )}
    </div>
  );
}

interface DaysProps {
  changes: Changes;
  search: ActivitySearch;
  place: ActivityPlace;
  opened: string | undefined;
}

/** The changes of a page by day, with links to the other pages of its question. */
function Days({ changes, search, place, opened }: DaysProps): ReactElement {
  const nowMs = useNow();
  const requesters = useRequesters(place.workspace, changes.nodes);
  return (
    <>
      {changes.nodes.length === 0 ? (
        <Notice title="No matching activity">
          <ActivityLink place={place} search={() => ({})} className="text-link">
            Clear filters
          </ActivityLink>
        </Notice>
      ) : (
        daysOf(latestFirst(changes), nowMs).map(({ label, changes: ofDay }) => (
          <section key={label} aria-label={label}>
            <h2 className="activity-day">{label}</h2>
            <ol className="activity">
              {ofDay.map((change) => (
                <li key={change.id} className={change.id === opened ? 'change open' : 'change'}>
                  <ChangeLine change={change} place={place} isUnderDay requestedBy={requesters.get(change.id)} />
                </li>
              ))}
            </ol>
          </section>
        ))
      )}
      <p className="table-pages">
        <NewestLink place={place} search={search} />
        {changes.pageInfo.hasPreviousPage && changes.pageInfo.startCursor !== null && (
          <ActivityLink
            place={place}
            search={() => ({ ...search, before: changes.pageInfo.startCursor ?? '' })}
            className="button"
          >
            Older
          </ActivityLink>
        )}
      </p>
    </>
  );
}

/** A link to the first page; nothing on it. */
function NewestLink({ place, search }: Pick<DaysProps, 'place' | 'search'>): ReactElement | null {
  if (search.before === undefined) return null;
  return (
    <ActivityLink place={place} search={({ before: _before, ...rest }) => rest} className="button">
      Newest
    </ActivityLink>
  );
}
