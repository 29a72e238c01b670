import { useState } from 'react';
import type { ReactElement } from 'react';
import { bothStates, stateOf, useAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import { useViewer } from '../frame/viewer.js';
import { Finder } from '../look/finder.js';
import type { FoundGroup } from '../look/finder.js';
import { Icon } from '../look/icon.js';
import { dimensionWord, wordOf } from '../look/labels.js';
import { labelFilterLabel, labelFilterText } from '../lists/label-filter.js';
import type { CostQuestion } from './cost-query.js';
import type { CostsChange, CostsSearch } from './costs-search.js';
import type { Billed } from './use-billed.js';
import type { UsedLabels } from './use-used-labels.js';
import '../look/chip.css';

const typesQuery = graphql(`
  query UsedTypes($account: ID!, $startTime: DateTime!, $endTime: DateTime!) {
    account(id: $account) {
      id
      metricsResourceTypes(startTime: $startTime, endTime: $endTime)
    }
  }
`);

interface FilterChoiceProps {
  question: CostQuestion;
  billed: Billed;
  used: UsedLabels;
  isAdmin: boolean;
  onChange: (next: CostsChange) => void;
}

const labelWord = 'label';
const fields = ['workspace', 'type', 'name', 'dimension'] as const satisfies readonly (keyof CostsSearch)[];
type Field = (typeof fields)[number];

/** The number of values of a label that are offered before something is typed. */
const valuesShownMax = 6;

/** Filters by workspace, resource type, resource, billing dimension or label. */
export function FilterChoice({ question, billed, used, isAdmin, onChange }: FilterChoiceProps): ReactElement {
  const { account, window } = question;
  const [isOpened, setOpened] = useState(false);
  const { labels } = used;
  const ofTypes = useAnswer({
    query: typesQuery,
    variables: { account, startTime: window.from, endTime: window.to },
    requestPolicy: 'cache-first',
    pause: !isOpened,
  });
  const workspaces = useViewer()
    .workspaces.filter((each) => each.account.id === account)
    .map(({ name }) => name);
  const [{ data }] = ofTypes;
  const usedTypes = data?.account?.metricsResourceTypes ?? [];
  const types = [...new Set([...usedTypes, ...billed.types.keys()])];
  const groups = (typed: string): FoundGroup[] => [
    ...(isAdmin ? [{ value: 'Workspace', items: itemsOf('workspace', workspaces, (name) => name) }] : []),
    {
      value: 'Resource type',
      items: types.map((type) => ({
        value: valueOf('type', type),
        label: wordOf(type),
        hint: data === undefined || usedTypes.includes(type) ? undefined : 'no usage in this period',
      })),
    },
    { value: 'Billing dimension', items: itemsOf('dimension', [...billed.dimensions.keys()], dimensionWord) },
    {
      value: 'Label',
      items: labels.flatMap(({ key, values }) =>
        [...(typed === '' ? values.slice(0, valuesShownMax) : values), undefined].map((value) => {
          const text = labelFilterText(key, value);
          return { value: `${labelWord} ${text}`, label: labelFilterLabel(text) };
        }),
      ),
      furtherCount:
        typed === '' ? labels.reduce((sum, { values }) => sum + Math.max(values.length - valuesShownMax, 0), 0) : 0,
    },
    ...(typed === '' ? [] : [{ value: 'Resource', items: itemsOf('name', [typed], (name) => `Named “${name}”`) }]),
  ];
  return (
    <Finder
      label="Filter"
      placeholder="Workspace, type, label, resource…"
      groups={groups}
      onOpen={() => setOpened(true)}
      state={bothStates(stateOf(ofTypes), bothStates(billed.state, used.state))}
      onChoose={(value) => {
        if (value.startsWith(`${labelWord} `)) {
          const text = value.slice(labelWord.length + 1);
          onChange({ label: [...new Set([...(question.search.label ?? []), text])] });
        }
        const field = fields.find((name) => value.startsWith(`${name} `));
        if (field !== undefined) onChange({ [field]: value.slice(field.length + 1) });
      }}
    >
      Filter
    </Finder>
  );
}

function itemsOf(field: Field, values: readonly string[], textOf: (value: string) => string): FoundGroup['items'] {
  return values.map((value) => ({ value: valueOf(field, value), label: textOf(value) }));
}

function valueOf(field: Field, value: string): string {
  return `${field} ${value}`;
}

/** The active filters, each with a button to remove it. */
export function FilterChips({
  search,
  onChange,
}: {
  search: CostsSearch;
  onChange: (next: CostsChange) => void;
}): ReactElement | null {
  const words = { workspace: 'Workspace', type: 'Resource type', name: 'Resource', dimension: 'Billing dimension' };
  const texts = {
    workspace: (name: string) => name,
    type: wordOf,
    name: (name: string) => name,
    dimension: dimensionWord,
  };
  const chips = fields.flatMap((field) => {
    const value = search[field];
    return value === undefined
      ? []
      : [{ key: field, word: words[field], text: texts[field](value), removed: { [field]: undefined } }];
  });
  const { label = [] } = search;
  const labelChips = label.map((text) => {
    const rest = label.filter((each) => each !== text);
    const removed = { label: rest.length === 0 ? undefined : rest };
    return { key: `label ${text}`, word: 'Label', text: labelFilterLabel(text), removed };
  });
  if (chips.length + labelChips.length === 0) return null;
  return (
    <ul className="chips" aria-label="Filters">
      {[...chips, ...labelChips].map(({ key, word, text, removed }) => (
        <li key={key}>
          <button type="button" className="chip" onClick={() => onChange(removed)} title="Remove filter">
            <span className="quiet">{word}</span> {text}
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
