import type { ReactElement } from 'react';
import { TimeChoice } from '../activity/time-choice.js';
import { useBilled } from '../costs/use-billed.js';
import { useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { labelFilterLabel } from '../lists/label-filter.js';
import { Choice } from '../look/choice.js';
import { FilterBar } from '../look/filter-bar.js';
import { Finder } from '../look/finder.js';
import type { Found, FoundGroup } from '../look/finder.js';
import { Icon } from '../look/icon.js';
import { capitalize, dimensionWord, wordOf } from '../look/labels.js';
import type { UsageEvent } from './usage-query.js';
import { states } from './usage-search.js';
import type { StateWord, UsageSearch } from './usage-search.js';
import '../look/chip.css';

/** The filters with a value, by their name in the URL, with their label. */
const fields = {
  workspace: 'Workspace',
  type: 'Resource type',
  name: 'Resource',
  uuid: 'Resource UUID',
  dimension: 'Billing dimension',
  source: 'Source',
  event: 'Event ID',
} as const;

type Field = keyof typeof fields;

const stateOptions: { value: StateWord | 'any'; label: string }[] = [
  { value: 'any', label: 'Any state' },
  { value: 'active', label: capitalize(states.active.label) },
  { value: 'amended', label: capitalize(states.amended.label) },
  { value: 'voided', label: capitalize(states.voided.label) },
];

interface UsageFiltersProps {
  /** The filters of the URL, without the page. */
  search: UsageSearch;
  account: ViewerAccount;
  /** The events on the page, whose resources and sources are suggested. */
  shown: readonly UsageEvent[];
  onChange: (next: UsageSearch) => void;
}

/** All filters of usage events: state, period, and the properties of an event. */
export function UsageFilters({ search, account, shown, onChange }: UsageFiltersProps): ReactElement {
  const { is, from, to, label = [], ...values } = search;
  const chips = Object.keys(fields)
    .filter(isField)
    .flatMap((field) => {
      const value = values[field];
      return value === undefined ? [] : [{ field, value }];
    });
  const without = (...names: (keyof UsageSearch)[]): UsageSearch =>
    Object.fromEntries(Object.entries(search).filter(([name]) => !names.some((each) => each === name)));
  return (
    <FilterBar
      count={chips.length + label.length + Number(is !== undefined) + Number(from !== undefined || to !== undefined)}
    >
      <Choice
        label="State"
        value={is ?? 'any'}
        options={stateOptions}
        onChange={(state) => onChange(state === 'any' ? without('is') : { ...search, is: state })}
      />
      <TimeChoice
        from={from}
        to={to}
        onChange={(start, end) =>
          onChange({
            ...without('from', 'to'),
            ...(start === undefined ? {} : { from: start }),
            ...(end === undefined ? {} : { to: end }),
          })
        }
      />
      {chips.length + label.length > 0 && (
        <ul className="chips" aria-label="Filters">
          {chips.map(({ field, value }) => (
            <li key={field}>
              <button type="button" className="chip" title="Remove filter" onClick={() => onChange(without(field))}>
                <span className="quiet">{fields[field]}</span> {textOf(field, value)}
                <Icon name="close" />
              </button>
            </li>
          ))}
          {label.map((text) => (
            <li key={text}>
              <button
                type="button"
                className="chip"
                title="Remove filter"
                onClick={() => {
                  const rest = label.filter((each) => each !== text);
                  onChange({ ...without('label'), ...(rest.length === 0 ? {} : { label: rest }) });
                }}
              >
                <span className="quiet">Label</span> {labelFilterLabel(text)}
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <AddFilter account={account} shown={shown} onChoose={(field, value) => onChange({ ...search, [field]: value })} />
    </FilterBar>
  );
}

interface AddFilterProps {
  account: ViewerAccount;
  shown: readonly UsageEvent[];
  onChoose: (field: Field, value: string) => void;
}

function AddFilter({ account, shown, onChoose }: AddFilterProps): ReactElement {
  const { types, dimensions, state } = useBilled(account.id);
  const { workspaces } = useViewer();
  const groups = (typed: string): FoundGroup[] => {
    const known: Record<Field, readonly string[]> = {
      workspace:
        account.viewerRole === 'ADMIN'
          ? workspaces.filter((each) => each.account.id === account.id).map(({ name }) => name)
          : [],
      type: [...types.keys()],
      name: shown.map(({ resourceName }) => resourceName),
      uuid: [],
      dimension: [...dimensions.keys()],
      source: shown.map(({ source }) => source),
      event: [],
    };
    return Object.keys(fields)
      .filter(isField)
      .map((field): FoundGroup => {
        const isTyped = ['name', 'uuid', 'source', 'event'].includes(field) && typed !== '';
        const found = [...new Set(isTyped ? [...known[field], typed] : known[field])];
        return { value: fields[field], items: found.map((value) => itemOf(field, value)) };
      })
      .filter(({ items }) => items.length > 0);
  };
  return (
    <Finder
      label="Add filter"
      placeholder="Workspace, resource, source, event ID…"
      groups={groups}
      state={state}
      onChoose={(chosen) => {
        const space = chosen.indexOf(' ');
        const field = chosen.slice(0, space);
        if (isField(field)) onChoose(field, chosen.slice(space + 1));
      }}
    >
      Add filter
    </Finder>
  );
}

function itemOf(field: Field, value: string): Found {
  return { value: `${field} ${value}`, label: textOf(field, value) };
}

function textOf(field: Field, value: string): string {
  if (field === 'type') return wordOf(value);
  return field === 'dimension' ? dimensionWord(value) : value;
}

function isField(name: string): name is Field {
  return Object.hasOwn(fields, name);
}
