import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { plural } from '../look/amount.js';
import { Choice } from '../look/choice.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { activityQuery, latestFirst } from './activity-queries.js';
import { changeKinds, changeVerbs, filterOf, isChangeKind, isChangeVerb } from './activity-search.js';
import type { ActivitySearch } from './activity-search.js';
import { ChangeLine } from './change-line.js';
import { useNewChanges } from './use-new-changes.js';
import './activity.css';

const route = getRouteApi('/w/$workspace/activity');
const pageSize = 50;

/** Everything that was done in a workspace: by whom, to what, the latest first, and live. */
export function ActivityView(): ReactElement {
  const { workspace } = route.useParams();
  const search = route.useSearch();
  const filter = filterOf(search);
  const [waiting, setWaiting] = useState(0);
  const variables = { workspace, filter, before: search.before ?? null, count: pageSize };
  const [{ data, error, stale }, again] = useQuery({ query: activityQuery, variables });
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
  const changes = data?.workspace?.changes;
  return (
    <div className="view">
      <div className="activity-bar">
        <h1>Activity</h1>
        <Filters search={search} workspace={workspace} />
        <span className="quiet" role="status">
          {changes == null ? '' : plural(changes.filteredCount, 'change')}
        </span>
        {waiting > 0 && search.before === undefined && (
          <button type="button" className="button" onClick={refresh}>
            Show {plural(waiting, 'new one', 'new')}
          </button>
        )}
      </div>
      {error !== undefined && changes == null ? (
        <FailureNotice error={error} onRetry={refresh} />
      ) : changes == null ? (
        <Skeletons />
      ) : changes.nodes.length === 0 ? (
        <Notice title="Nothing like that was done here">
          <Link to="/w/$workspace/activity" params={{ workspace }} className="text-link">
            Show everything
          </Link>
        </Notice>
      ) : (
        <ol className={stale ? 'activity older' : 'activity'}>
          {latestFirst(changes).map((change) => (
            <li key={change.id}>
              <ChangeLine change={change} workspace={workspace} />
            </li>
          ))}
        </ol>
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
        {changes?.pageInfo.hasPreviousPage === true && changes.pageInfo.startCursor !== null && (
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
    </div>
  );
}

const any = { value: 'any', label: 'anything' };

function Filters({ search, workspace }: { search: ActivitySearch; workspace: string }): ReactElement {
  const navigate = useNavigate();
  const [actor, setActor] = useState(search.actor ?? '');
  useEffect(() => setActor(search.actor ?? ''), [search.actor]);
  // Another question begins at its newest answer.
  const ask = ({ before: _before, ...next }: ActivitySearch) =>
    void navigate({ to: '/w/$workspace/activity', params: { workspace }, search: next, replace: true });
  const { kind: _kind, ...withoutKind } = search;
  const { verb: _verb, ...withoutVerb } = search;
  const { actor: _actor, ...withoutActor } = search;
  return (
    <>
      <Choice
        label="Of"
        value={search.kind ?? any.value}
        options={[any, ...Object.entries(changeKinds).map(([value, { label }]) => ({ value, label }))]}
        onChange={(kind) => ask(isChangeKind(kind) ? { ...search, kind } : withoutKind)}
      />
      <Choice
        label="That was"
        value={search.verb ?? any.value}
        options={[any, ...Object.entries(changeVerbs).map(([value, { label }]) => ({ value, label }))]}
        onChange={(verb) => ask(isChangeVerb(verb) ? { ...search, verb } : withoutVerb)}
      />
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          ask(actor.trim() === '' ? withoutActor : { ...search, actor: actor.trim() });
        }}
      >
        <input
          className="field"
          type="search"
          aria-label="By whom: an email address or the name of a program"
          placeholder="By whom, then Enter"
          maxLength={200}
          value={actor}
          onChange={(event) => setActor(event.target.value)}
        />
      </form>
    </>
  );
}
