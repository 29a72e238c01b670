import { Menu } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import { capitalize } from '../look/labels.js';
import { dimensionNames, dimensions } from './costs-search.js';
import type { Dimension } from './costs-search.js';

interface GroupByChoiceProps {
  by: readonly Dimension[];
  isAdmin: boolean;
  onChange: (by: Dimension[]) => void;
}

/** The one to three dimensions to group by. */
export function GroupByChoice({ by, isAdmin, onChange }: GroupByChoiceProps): ReactElement {
  const offered = dimensionNames.filter((name) => isAdmin || name !== 'workspace');
  return (
    <Menu.Root>
      <Menu.Trigger className="button choice">
        <span className="quiet">Group by</span>
        {by.map((name) => dimensions[name].label).join(' and ')}
        <Icon name="down" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="start">
          <Menu.Popup className="popup">
            <Menu.Group>
              <Menu.GroupLabel className="group-label">Up to three dimensions</Menu.GroupLabel>
              {offered.map((name) => (
                <Menu.CheckboxItem
                  key={name}
                  checked={by.includes(name)}
                  disabled={(by.length >= 3 && !by.includes(name)) || (by.length === 1 && by.includes(name))}
                  onCheckedChange={(isChecked) =>
                    onChange(isChecked ? [...by, name] : by.filter((each) => each !== name))
                  }
                >
                  {capitalize(dimensions[name].label)}
                  <Menu.CheckboxItemIndicator className="end">
                    <Icon name="check" />
                  </Menu.CheckboxItemIndicator>
                </Menu.CheckboxItem>
              ))}
            </Menu.Group>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
