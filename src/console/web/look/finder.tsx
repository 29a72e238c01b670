import { Combobox } from '@base-ui/react/combobox';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from './icon.js';
import './finder.css';

export interface Found {
  value: string;
  label: string;
  hint?: string | undefined;
}

export interface FoundGroup {
  /** The label above its items. */
  value: string;
  items: readonly Found[];
}

interface FinderProps {
  /** The content of the button. */
  children: ReactNode;
  label: string;
  placeholder: string;
  /** The selected value, if any. */
  value?: string | undefined;
  /** Returns the options for the typed text, which also filters them. */
  groups: (typed: string) => readonly FoundGroup[];
  onChoose: (value: string) => void;
  onOpen?: (() => void) | undefined;
}

/** A searchable select. */
export function Finder(props: FinderProps): ReactElement {
  const { children, label, placeholder, value, groups, onChoose, onOpen } = props;
  const [typed, setTyped] = useState('');
  const offered = groups(typed.trim());
  const current = offered.flatMap(({ items }) => items).find((item) => item.value === value) ?? null;
  return (
    <Combobox.Root
      autoHighlight
      items={offered}
      value={current}
      itemToStringLabel={({ label: text, hint }: Found) => `${text} ${hint ?? ''}`}
      isItemEqualToValue={(one: Found, other: Found) => one.value === other.value}
      onValueChange={(next: Found | null) => {
        if (next !== null) onChoose(next.value);
      }}
      onInputValueChange={setTyped}
      onOpenChange={(isOpen) => {
        if (isOpen) onOpen?.();
      }}
    >
      <Combobox.Trigger className="button choice" aria-label={label}>
        {children}
        <Icon name="down" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className="positioner" sideOffset={4} align="start">
          <Combobox.Popup className="popup finder" aria-label={label}>
            <div className="finder-input">
              <Icon name="search" />
              <Combobox.Input placeholder={placeholder} aria-label={placeholder} />
            </div>
            <Combobox.Empty>
              <p className="finder-empty quiet">No matches.</p>
            </Combobox.Empty>
            <Combobox.List className="finder-list">
              {(group: FoundGroup) => (
                <Combobox.Group key={group.value} items={group.items}>
                  <Combobox.GroupLabel className="group-label">{group.value}</Combobox.GroupLabel>
                  <Combobox.Collection>
                    {(item: Found) => (
                      <Combobox.Item key={item.value} value={item}>
                        <span>{item.label}</span>
                        {item.hint !== undefined && <span className="quiet end">{item.hint}</span>}
                        <Combobox.ItemIndicator className={item.hint === undefined ? 'end' : ''}>
                          <Icon name="check" />
                        </Combobox.ItemIndicator>
                      </Combobox.Item>
                    )}
                  </Combobox.Collection>
                </Combobox.Group>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
