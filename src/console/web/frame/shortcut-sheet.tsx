import { Dialog } from '@base-ui/react/dialog';
import { Fragment } from 'react';
import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import type { Action } from './shortcuts.js';
import './palette.css';

interface ShortcutSheetProps {
  actions: readonly Action[];
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

/** The keyboard shortcuts of the current view. */
export function ShortcutSheet({ actions, isOpen, onOpenChange }: ShortcutSheetProps): ReactElement {
  const withKeys = actions.filter(({ keys }) => keys.length > 0);
  return (
    <Dialog.Root open={isOpen} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="shortcut-sheet">
          <Dialog.Title>Keyboard shortcuts</Dialog.Title>
          <dl>
            <dt>Search or run a command</dt>
            <dd className="keys">
              <kbd>⌘ or Ctrl</kbd>
              <kbd>k</kbd>
            </dd>
            {withKeys.map(({ title, group, keys }) => (
              <Fragment key={`${group} ${title}`}>
                <dt>{group === 'Go to' ? `Go to ${title}` : title}</dt>
                <dd className="keys">
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dd>
              </Fragment>
            ))}
          </dl>
          <Dialog.Close className="button bare square close" aria-label="Close">
            <Icon name="close" />
          </Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
