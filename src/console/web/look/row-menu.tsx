import { Menu } from '@base-ui/react/menu';
import { Fragment, useState } from 'react';
import type { ReactElement } from 'react';
import { Icon } from './icon.js';
import { stayOpen } from './stay-open.js';

/** Opens and closes a dialog from outside. */
export interface DialogControl {
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

export interface RowAction {
  label: string;
  isDestructive?: boolean;
  /** Why the action is not possible, if it is not. */
  disabledReason?: string | undefined;
  /** What the action does at once, or the dialog that it opens. */
  run?: () => void;
  dialog?: (control: DialogControl) => ReactElement;
}

interface RowMenuProps {
  /** The accessible name of the button. */
  label: string;
  actions: readonly RowAction[];
}

/** The menu of a row: a button with its actions. Destructive ones come last, in red. */
export function RowMenu({ label, actions }: RowMenuProps): ReactElement {
  const [chosen, setChosen] = useState<string>();
  return (
    <>
      <Menu.Root onOpenChange={stayOpen}>
        <Menu.Trigger className="button bare square" aria-label={label} title="Actions">
          <Icon name="more" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="positioner" sideOffset={4} align="end">
            <Menu.Popup className="popup">
              {actions.map(({ label: text, isDestructive = false, disabledReason, run }) => (
                <Menu.Item
                  key={text}
                  className={isDestructive ? 'destructive' : ''}
                  disabled={disabledReason !== undefined}
                  title={disabledReason}
                  onClick={() => (run === undefined ? setChosen(text) : run())}
                >
                  {text}
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {actions.map(({ label: text, dialog }) => (
        <Fragment key={text}>
          {dialog !== undefined &&
            text === chosen &&
            dialog({ isOpen: true, onOpenChange: (isOpen) => setChosen(isOpen ? text : undefined) })}
        </Fragment>
      ))}
    </>
  );
}
