import { Menu } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import { Icon } from './icon.js';

export interface MenuAction {
  label: string;
  /** Shown in red. */
  isDestructive?: boolean;
  run: () => void;
}

/** The less frequent actions of a page, and those that delete, behind one button. */
export function ActionMenu({
  label = 'More actions',
  actions,
}: {
  label?: string;
  actions: readonly MenuAction[];
}): ReactElement {
  return (
    <Menu.Root>
      <Menu.Trigger className="button square" aria-label={label} title={label}>
        <Icon name="more" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="end">
          <Menu.Popup className="popup">
            {actions.map((action) => (
              <Menu.Item
                key={action.label}
                className={action.isDestructive === true ? 'destructive' : ''}
                onClick={action.run}
              >
                {action.label}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
