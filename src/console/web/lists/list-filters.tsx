import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { useRefresh } from '../api/use-refresh.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { toneCountsFrom, toneCountsQuery } from '../kinds/tone-counts.js';
import { ToneIcon } from '../look/state-mark.js';
import { tones, toneLabels } from '../look/state.js';
import { useTypedSearch } from './use-typed-search.js';

const route = getRouteApi('/w/$workspace/$kind');

/** The state groups with their counts, as filters. */
export function ToneFilter({ workspace, kind }: { workspace: string; kind: Kind }): ReactElement {
  const { q, state } = route.useSearch();
  const [{ data }, again] = useQuery({
    query: toneCountsQuery,
    variables: { workspace, ...(q === undefined ? {} : { search: q }) },
  });
  useRefresh(() => again({ requestPolicy: 'network-only' }));
  const counts = toneCountsFrom(data?.workspace)?.[kind];
  return (
    <ul className="tone-filter" aria-label="States">
      {tones.map((tone) => (
        <li key={tone}>
          <Link
            to="/w/$workspace/$kind"
            params={{ workspace, kind }}
            search={({ state: before, peek: _peek, ...rest }) => (before === tone ? rest : { ...rest, state: tone })}
            replace
            className={`button ${state === tone ? 'on' : 'bare'}`}
            title={state === tone ? 'Remove filter' : `Filter by ${toneLabels[tone]}`}
          >
            <ToneIcon tone={tone} />
            {counts?.[tone] ?? ''} {toneLabels[tone]}
          </Link>
        </li>
      ))}
    </ul>
  );
}

interface SearchFieldProps {
  workspace: string;
  kind: Kind;
  field: { current: HTMLInputElement | null };
}

export function SearchField({ workspace, kind, field }: SearchFieldProps): ReactElement {
  const { q } = route.useSearch();
  const navigate = useNavigate();
  const [text, setText] = useTypedSearch(q, (typed) => {
    void navigate({
      to: '/w/$workspace/$kind',
      params: { workspace, kind },
      search: ({ q: _before, ...rest }) => (typed === undefined ? rest : { ...rest, q: typed }),
      replace: true,
    });
  });
  return (
    <input
      ref={field}
      className="field list-search"
      type="search"
      name="q"
      placeholder="Name, title or label"
      aria-label={`Filter ${kinds[kind].many.toLowerCase()} by name, title or label`}
      maxLength={200}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Browsers clear the field on Escape. Leaving it must keep the filter.
        event.preventDefault();
        event.currentTarget.blur();
      }}
    />
  );
}
