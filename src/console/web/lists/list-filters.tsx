import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { bothStates, useLastAnswer } from '../api/use-answer.js';
import { useRefresh } from '../api/use-refresh.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { Finder } from '../look/finder.js';
import type { FoundGroup } from '../look/finder.js';
import { Icon } from '../look/icon.js';
import { formatCount } from '../look/money.js';
import { OptionsState } from '../look/options-state.js';
import { ToneIcon } from '../look/state-mark.js';
import { lookOf, tones, toneLabels } from '../look/state.js';
import type { Tone } from '../look/state.js';
import { activeFilters, listFilter } from './active-filters.js';
import { labelFilterText } from './label-filter.js';
import { useListCounts } from './list-counts.js';
import { generations } from './list-search.js';
import type { ListSearch } from './list-search.js';
import type { ListRow } from './list-rows.js';
import { useTypedSearch } from './use-typed-search.js';

const route = getRouteApi('/w/$workspace/$kind');

interface FiltersProps {
  workspace: string;
  kind: Kind;
}

/** The variables of the counts of a list. */
function countVariables(workspace: string, search: ListSearch) {
  const filter = listFilter(search);
  return {
    workspace,
    ...(search.q === undefined ? {} : { search: search.q }),
    ...(filter === undefined ? {} : { filter }),
  };
}

/** The state groups with their counts, as filters. The counts follow the other filters. */
export function ToneFilter({ workspace, kind }: FiltersProps): ReactElement {
  const search = route.useSearch();
  const { state, ...others } = search;
  const {
    counts,
    state: counting,
    refresh,
  } = useListCounts(kinds[kind].type, {
    ...countVariables(workspace, others),
    by: 'STATUS',
  });
  const { shown: statuses, isOld } = useLastAnswer(counts, counting.error);
  useRefresh(refresh);
  const countOf = (tone: Tone) =>
    [...(statuses ?? [])].reduce((sum, [status, count]) => (lookOf(status).tone === tone ? sum + count : sum), 0);
  return (
    <ul
      className={isOld ? 'tone-filter older' : 'tone-filter'}
      aria-label="States"
      aria-busy={isOld || counting.isLoading}
    >
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
            {statuses === undefined ? '' : formatCount(countOf(tone))} {toneLabels[tone]}
            {state === tone && <Icon name="close" />}
          </Link>
        </li>
      ))}
      {counting.error !== undefined && (
        <li>
          <OptionsState of="the counts" state={counting} />
        </li>
      )}
    </ul>
  );
}

/** A button that offers filters by region, generation, label and creator, each with the values that occur. */
export function AddFilter({ workspace, kind, rows }: FiltersProps & { rows: () => readonly ListRow[] }): ReactElement {
  const search = route.useSearch();
  const navigate = useNavigate();
  const [isOpened, setOpened] = useState(false);
  const variables = countVariables(workspace, search);
  const { type } = kinds[kind];
  const hasGeneration = type !== 'Volume' && type !== 'Vpc';
  const byRegion = useListCounts(type, { ...variables, by: 'REGION' }, !isOpened);
  const byGeneration = useListCounts(type, { ...variables, by: 'GENERATION' }, !isOpened || !hasGeneration);
  const generationHint = (name: string) => byGeneration.counts && formatCount(byGeneration.counts.get(name) ?? 0);
  const groups = (typed: string): FoundGroup[] => {
    const shown = isOpened ? rows() : [];
    const labels = new Map(
      shown.flatMap((row) =>
        row.labels.map(({ key, value }) => [labelFilterText(key, value), `${key}:${value}`] as const),
      ),
    );
    const creators = [...new Set(shown.flatMap(({ createdBy }) => createdBy ?? []))];
    return [
      {
        value: 'Region',
        items: [...(byRegion.counts ?? [])].map(([name, count]) => item('region', name, formatCount(count))),
      },
      {
        value: 'Generation',
        items: hasGeneration
          ? generations.map((name) => item('generation', name, generationHint(name), name.toLowerCase()))
          : [],
      },
      {
        value: 'Label',
        items: withTyped([...labels.keys()], typed, /^[^:\s]+(:.*)?$/).map((text) =>
          item('label', text, undefined, labels.get(text)),
        ),
      },
      { value: 'Created by', items: withTyped(creators, typed, /\S/).map((name) => item('createdBy', name)) },
    ].filter(({ items }) => items.length > 0);
  };
  const choose = (chosen: string) => {
    const [key = '', value = ''] = split(chosen);
    void navigate({
      to: '/w/$workspace/$kind',
      params: { workspace, kind },
      search: ({ peek: _peek, ...before }) => withFilter(before, key, value),
      replace: true,
    });
  };
  return (
    <Finder
      label="Add filter"
      placeholder="Region, label (key:value), user…"
      groups={groups}
      onOpen={() => setOpened(true)}
      state={hasGeneration ? bothStates(byRegion.state, byGeneration.state) : byRegion.state}
      onChoose={choose}
    >
      Add filter
    </Finder>
  );
}

function item(key: string, value: string, hint?: string, label = value): FoundGroup['items'][number] {
  return { value: `${key} ${value}`, label, hint };
}

function split(text: string): string[] {
  const space = text.indexOf(' ');
  return [text.slice(0, space), text.slice(space + 1)];
}

/** The known values and, last, the typed one if it is another. */
function withTyped(known: readonly string[], typed: string, pattern: RegExp): string[] {
  const sorted = known.toSorted();
  return typed.length < 2 || !pattern.test(typed) || known.includes(typed) ? sorted : [...sorted, typed];
}

function withFilter(search: ListSearch, key: string, value: string): ListSearch {
  const generation = generations.find((each) => each === value);
  if (key === 'region') return { ...search, region: value };
  if (key === 'generation' && generation !== undefined) return { ...search, generation };
  if (key === 'label') return { ...search, label: [...new Set([...(search.label ?? []), value])] };
  return key === 'createdBy' ? { ...search, createdBy: value } : search;
}

/** The active filters besides text and state, each with a button to remove it. */
export function FilterChips({ workspace, kind }: FiltersProps): ReactElement | null {
  const search = route.useSearch();
  const chips = activeFilters(search).filter(({ key }) => key !== 'q' && key !== 'state');
  if (chips.length === 0) return null;
  return (
    <ul className="chips" aria-label="Filters">
      {chips.map(({ key, name, text, without }) => (
        <li key={key}>
          <Link
            to="/w/$workspace/$kind"
            params={{ workspace, kind }}
            search={without}
            replace
            className="chip"
            title={`Remove filter ${name.toLowerCase()} ${text}`}
          >
            <span className="quiet">{name}</span> {text}
            <Icon name="close" />
          </Link>
        </li>
      ))}
    </ul>
  );
}

interface SearchFieldProps extends FiltersProps {
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
