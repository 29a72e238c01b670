import type { ReactElement } from 'react';
import { Choice } from '../look/choice.js';
import { FilterBar } from '../look/filter-bar.js';
import { Finder } from '../look/finder.js';
import type { FoundGroup } from '../look/finder.js';
import { capitalize } from '../look/labels.js';
import type { Change } from './activity-queries.js';
import type { ActivityPlace } from './activity-link.js';
import { kindsOf } from './activity-search.js';
import type { ActivitySearch } from './activity-search.js';
import { actionChoices } from './change-labels.js';
import { TimeChoice } from './time-choice.js';

interface ActivityFiltersProps {
  search: ActivitySearch;
  place: ActivityPlace;
  onChange: (next: ActivitySearch) => void;
  /** The changes shown, whose names and actors are suggested. */
  shown: readonly Change[];
}

const any = 'any';

/** The filters of the activity: type, name, action, actor and date range. */
export function ActivityFilters({ search, place, shown, onChange }: ActivityFiltersProps): ReactElement {
  const isOfAccount = place.account !== undefined;
  const { before: _before, ...filters } = search;
  // Another filter starts at the newest page.
  const apply = (next: { [Name in keyof ActivitySearch]?: ActivitySearch[Name] | undefined }) =>
    onChange(withoutEmpty({ ...filters, ...next }));
  const { steps, from, to, ...others } = filters;
  return (
    <FilterBar
      count={Object.keys(others).length + Number(steps === true) + Number(from !== undefined || to !== undefined)}
    >
      <Choice
        label="Type"
        value={search.kind ?? any}
        options={[
          { value: any, label: 'Any type' },
          ...kindsOf(isOfAccount).map(({ word, label }) => ({ value: word, label: capitalize(label) })),
        ]}
        onChange={(kind) => apply({ kind: kind === any ? undefined : kind })}
      />
      <NameFinder
        label="Name"
        none="Any name"
        placeholder="Exact name"
        value={search.name}
        names={shown.map(({ name }) => name)}
        onChoose={(name) => apply({ name })}
      />
      <Choice
        label="Action"
        value={search.action ?? any}
        options={[
          { value: any, label: 'Any action' },
          ...actionChoices.map(({ word, label }) => ({ value: word, label: capitalize(label) })),
        ]}
        onChange={(action) => apply({ action: action === any ? undefined : action })}
      />
      <NameFinder
        label="Actor"
        none="Any actor"
        placeholder="Email address or client name"
        value={search.actor}
        names={shown.map(({ actor }) => actor.name)}
        onChoose={(actor) => apply({ actor })}
      />
      <TimeChoice from={from} to={to} onChange={(start, end) => apply({ from: start, to: end })} />
      {!isOfAccount && search.kind === undefined && search.action === undefined && (
        <button
          type="button"
          className="button"
          aria-pressed={steps === true}
          title="Also shows each status change, and runs by schedule"
          onClick={() => apply({ steps: steps === true ? undefined : true })}
        >
          Status steps and schedules
        </button>
      )}
    </FilterBar>
  );
}

interface NameFinderProps {
  label: string;
  /** The text while no name is selected. */
  none: string;
  placeholder: string;
  value: string | undefined;
  names: readonly (string | null)[];
  onChoose: (name: string | undefined) => void;
}

/** A filter by name: one of the names in the list, or any typed name. */
function NameFinder({ label, none, placeholder, value, names, onChoose }: NameFinderProps): ReactElement {
  const seen = [...new Set([value, ...names].flatMap((name) => name ?? []))].toSorted();
  const groups = (typed: string): FoundGroup[] => [
    { value: 'Any', items: [{ value: '', label: none }] },
    { value: 'In this list', items: seen.map((name) => ({ value: name, label: name })) },
    ...(typed === '' || seen.includes(typed)
      ? []
      : [{ value: 'Exact match', items: [{ value: typed, label: `“${typed}”` }] }]),
  ];
  return (
    <Finder
      label={`${label}: ${value ?? none}`}
      placeholder={placeholder}
      value={value ?? ''}
      groups={groups}
      onChoose={(name) => onChoose(name === '' ? undefined : name)}
    >
      <span className="quiet">{label}</span>
      <span className="cut finder-value">{value ?? none}</span>
    </Finder>
  );
}

function withoutEmpty(search: { [Name in keyof ActivitySearch]?: ActivitySearch[Name] | undefined }): ActivitySearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
