import { Menu } from '@base-ui/react/menu';
import type { ReactElement } from 'react';
import type { Kind } from '../kinds/kinds.js';
import { Icon } from '../look/icon.js';
import { stayOpen } from '../look/stay-open.js';
import { columns, columnsOf } from './columns.js';
import type { Column, ColumnName } from './columns.js';

interface ColumnsMenuProps {
  kind: Kind;
  chosen: readonly ColumnName[];
  /** Without columns, back to the default ones. */
  onChange: (chosen: readonly ColumnName[] | undefined) => void;
}

/** The menu that shows and hides columns. */
export default function ColumnsMenu({ kind, chosen, onChange }: ColumnsMenuProps): ReactElement {
  return (
    <Menu.Root onOpenChange={stayOpen}>
      <Menu.Trigger className="button columns-button">
        Columns
        <Icon name="down" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={4} align="end">
          <Menu.Popup className="popup">
            {columnsOf(kind).map((name) => {
              const { label, isFixed = false }: Column = columns[name];
              return (
                <Menu.CheckboxItem
                  key={name}
                  checked={chosen.includes(name)}
                  disabled={isFixed}
                  onCheckedChange={(isShown) =>
                    onChange(isShown ? [...chosen, name] : chosen.filter((each) => each !== name))
                  }
                >
                  {label}
                  <Menu.CheckboxItemIndicator className="end">
                    <Icon name="check" />
                  </Menu.CheckboxItemIndicator>
                </Menu.CheckboxItem>
              );
            })}
            <Menu.Separator render={<hr />} />
            <Menu.Item onClick={() => onChange(undefined)}>Default columns</Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
