import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Choice } from '../look/choice.js';
import { Finder } from '../look/finder.js';
import type { FoundGroup } from '../look/finder.js';
import type { Change } from './activity-queries.js';
import type { ActivitySearch } from './activity-search.js';
import { kindChoices, verbChoices } from './change-words.js';
import { TimeChoice } from './time-choice.js';

interface ActivityFiltersProps {
  search: ActivitySearch;
  workspace: string;
  /** What is shown: whose names can be chosen without typing them. */
  shown: readonly Change[];
}

const any = { value: 'any', label: 'anything' };

/** What is told of, as a sentence each part of which can be changed. */
export function ActivityFilters({ search, workspace, shown }: ActivityFiltersProps): ReactElement {
  const navigate = useNavigate();
  // Another question begins at its newest answer.
  const ask = (next: { [Name in keyof ActivitySearch]?: ActivitySearch[Name] | undefined }) =>
    void navigate({
      to: '/w/$workspace/activity',
      params: { workspace },
      search: ({ before: _before, ...kept }) => withoutEmpty({ ...kept, ...next }),
      replace: true,
    });
  return (
    <>
      <Choice
        label="Of"
        value={search.kind ?? any.value}
        options={[any, ...kindChoices.map(({ word, label }) => ({ value: word, label }))]}
        onChange={(kind) => ask({ kind: kind === any.value ? undefined : kind })}
      />
      <NameFinder
        label="called"
        none="anything"
        placeholder="The whole name"
        value={search.name}
        names={shown.map(({ name }) => name)}
        onChoose={(name) => ask({ name })}
      />
      <Choice
        label="That was"
        value={search.verb ?? any.value}
        options={[any, ...verbChoices.map(({ word, label }) => ({ value: word, label }))]}
        onChange={(verb) => ask({ verb: verb === any.value ? undefined : verb })}
      />
      <NameFinder
        label="by"
        none="anybody"
        placeholder="Email address or name of a program"
        value={search.actor}
        names={shown.map(({ actor }) => actor.name)}
        onChoose={(actor) => ask({ actor })}
      />
      <TimeChoice from={search.from} to={search.to} onChange={(from, to) => ask({ from, to })} />
    </>
  );
}

interface NameFinderProps {
  label: string;
  /** What it says while none is chosen. */
  none: string;
  placeholder: string;
  value: string | undefined;
  names: readonly (string | null)[];
  onChoose: (name: string | undefined) => void;
}

/** A name out of those that are seen, or any that is typed. */
function NameFinder({ label, none, placeholder, value, names, onChoose }: NameFinderProps): ReactElement {
  const seen = [...new Set([value, ...names].flatMap((name) => name ?? []))].toSorted();
  const groups = (typed: string): FoundGroup[] => [
    { value: 'No matter which', items: [{ value: '', label: none }] },
    { value: 'Seen here', items: seen.map((name) => ({ value: name, label: name })) },
    ...(typed === '' || seen.includes(typed)
      ? []
      : [{ value: 'As typed', items: [{ value: typed, label: `“${typed}”` }] }]),
  ];
  return (
    <Finder
      label={`${label} ${value ?? none}`}
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
