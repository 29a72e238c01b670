import type { ReactElement } from 'react';
import { Finder } from '../look/finder.js';
import { capitalize } from '../look/labels.js';
import { canGroupBy, dimensionNames, groupingText, isDimension, labelGrouping, labelKeyOf } from './costs-search.js';
import type { Grouping } from './costs-search.js';
import type { UsedLabels } from './use-used-labels.js';

interface GroupByChoiceProps {
  by: readonly Grouping[];
  /** The labels that occur. */
  used: UsedLabels;
  isAdmin: boolean;
  onChange: (by: Grouping[]) => void;
}

/** The dimensions and labels to group by, at least one. */
export function GroupByChoice({ by, used, isAdmin, onChange }: GroupByChoiceProps): ReactElement {
  const offered = dimensionNames.filter((name) => isAdmin || name !== 'workspace');
  const keys = [...new Set([...used.labels.map(({ key }) => key), ...by.flatMap((each) => labelKeyOf(each) ?? [])])];
  const itemOf = (name: Grouping) => ({
    value: name,
    label: isDimension(name) ? capitalize(groupingText(name)) : groupingText(name),
    isDisabled: by.includes(name) ? by.length === 1 : !canGroupBy(by, name),
  });
  const groupings = [...offered, ...keys.map(labelGrouping)];
  return (
    <Finder
      label="Group by"
      placeholder="Dimension or label"
      value={by}
      state={used.state}
      groups={() => [
        { value: 'Up to three dimensions', items: offered.map(itemOf) },
        { value: 'Up to two labels', items: keys.map((key) => itemOf(labelGrouping(key))) },
      ]}
      onChoose={(value) => {
        const chosen = groupings.find((name) => name === value);
        if (chosen === undefined) return;
        onChange(by.includes(chosen) ? by.filter((each) => each !== chosen) : [...by, chosen]);
      }}
    >
      <span className="quiet">Group by</span>
      {by.map(groupingText).join(' and ')}
    </Finder>
  );
}
