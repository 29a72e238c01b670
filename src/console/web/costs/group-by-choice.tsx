import { Menu } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import { capitalize } from '../look/labels.js';
import { canGroupBy, dimensionNames, groupingText, isDimension, labelGrouping, labelKeyOf } from './costs-search.js';
import type { Grouping } from './costs-search.js';
import type { UsedLabel } from './use-used-labels.js';

interface GroupByChoiceProps {
  by: readonly Grouping[];
  /** The labels that occur. */
  labels: readonly UsedLabel[];
  isAdmin: boolean;
  onChange: (by: Grouping[]) => void;
}

/** The dimensions and labels to group by, at least one. */
export function GroupByChoice({ by, labels, isAdmin, onChange }: GroupByChoiceProps): ReactElement {
  const offered = dimensionNames.filter((name) => isAdmin || name !== 'workspace');
  const keys = [...new Set([...labels.map(({ key }) => key), ...by.flatMap((each) => labelKeyOf(each) ?? [])])];
  const item = (name: Grouping) => (
    <Menu.CheckboxItem
      key={name}
      checked={by.includes(name)}
      disabled={by.includes(name) ? by.length === 1 : !canGroupBy(by, name)}
      onCheckedChange={(isChecked) => onChange(isChecked ? [...by, name] : by.filter((each) => each !== name))}
    >
      {isDimension(name) ? capitalize(groupingText(name)) : groupingText(name)}
      <Menu.CheckboxItemIndicator className="end">
        <Icon name="check" />
      </Menu.CheckboxItemIndicator>
    </Menu.CheckboxItem>
  );
  return (
    <Menu.Root>
      <Menu.Trigger className="button choice">
        <span className="quiet">Group by</span>
        {by.map(groupingText).join(' and ')}
        <Icon name="down" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="start">
          <Menu.Popup className="popup">
            <Menu.Group>
              <Menu.GroupLabel className="group-label">Up to three dimensions</Menu.GroupLabel>
              {offered.map(item)}
            </Menu.Group>
            {keys.length > 0 && (
              <Menu.Group>
                <Menu.GroupLabel className="group-label">Up to two labels</Menu.GroupLabel>
                {keys.map((key) => item(labelGrouping(key)))}
              </Menu.Group>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
