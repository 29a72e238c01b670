import { Combobox } from '@base-ui/react/combobox';
import { useState } from 'react';
import type { AriaAttributes, ReactElement, ReactNode, RefObject } from 'react';
import { firstOptions, moreOptionsText } from './first-options.js';
import type { AnswersState } from '../api/use-answer.js';
import { Icon } from './icon.js';
import { OptionsState } from './options-state.js';
import { stayOpen } from './stay-open.js';
import './finder.css';

export interface Found {
  value: string;
  label: string;
  hint?: string | undefined;
  isDisabled?: boolean;
}

export interface FoundGroup {
  /** The label above its items; empty for none. */
  value: string;
  items: readonly Found[];
  /** The number of further items, which are offered once something is typed. */
  furtherCount?: number;
}

interface FinderProps {
  /** The content of the button. */
  children: ReactNode;
  label: string;
  /** The attributes that name and describe the button; by default its label. */
  naming?: AriaAttributes & { id?: string };
  trigger?: RefObject<HTMLButtonElement | null>;
  placeholder: string;
  /** The selected value, if any. With a list of values, several can be selected, and choosing one again removes it. */
  value?: string | readonly string[] | undefined;
  /** Returns the options for the typed text, which also filters them. */
  groups: (typed: string) => readonly FoundGroup[];
  onChoose: (value: string) => void;
  onOpen?: (() => void) | undefined;
  /** Whether the options were loaded. Default: they were. */
  state?: AnswersState;
}

/** A searchable select. It shows the first matches of each group, and how many more there are. */
export function Finder(props: FinderProps): ReactElement {
  const {
    children,
    label,
    naming = { 'aria-label': label },
    trigger,
    placeholder,
    value,
    groups,
    onChoose,
    onOpen,
    state,
  } = props;
  const { contains } = Combobox.useFilter();
  const [typed, setTyped] = useState('');
  const query = typed.trim();
  const offered = groups(query);
  const hasSeveral = Array.isArray(value);
  const values: readonly (string | undefined)[] = hasSeveral ? value : [value];
  const isCurrent = (item: Found) => values.includes(item.value);
  const current = offered.flatMap(({ items }) => items).filter(isCurrent);
  const matches = offered
    .map((group) => {
      const found = group.items.filter((item) => contains(item, query, searchedText));
      const { shown, hiddenCount } = firstOptions(found, isCurrent);
      return { value: group.value, items: shown, hiddenCount: hiddenCount + (group.furtherCount ?? 0) };
    })
    .filter(({ items }) => items.length > 0);
  const hiddenCount = matches.reduce((sum, group) => sum + group.hiddenCount, 0);
  return (
    <Combobox.Root<Found, boolean>
      multiple={hasSeveral}
      autoHighlight
      items={matches}
      filter={null}
      value={hasSeveral ? current : (current[0] ?? null)}
      itemToStringLabel={searchedText}
      isItemEqualToValue={(one, other) => one.value === other.value}
      onValueChange={(next) => {
        const chosen = Array.isArray(next) ? differenceOf(current, next) : next;
        if (chosen != null) onChoose(chosen.value);
      }}
      onInputValueChange={setTyped}
      onOpenChange={(isOpen, change) => {
        stayOpen(isOpen, change);
        if (isOpen) onOpen?.();
      }}
    >
      <Combobox.Trigger ref={trigger} className="button choice" {...naming}>
        {children}
        <Icon name="down" />
      </Combobox.Trigger>
      <Combobox.Portal>
        <Combobox.Positioner className="positioner" sideOffset={4} align="start">
          <Combobox.Popup className="popup finder" aria-label={label}>
            {/* A search is no entry of the dialog around it. */}
            <div className="finder-input" onInput={(event) => event.stopPropagation()}>
              <Icon name="search" />
              <Combobox.Input placeholder={placeholder} aria-label={placeholder} />
            </div>
            <Combobox.Empty>
              {state?.isLoading !== true && state?.error === undefined && (
                <p className="finder-empty quiet">No matches.</p>
              )}
            </Combobox.Empty>
            <Combobox.List className="finder-list">
              {(group: FoundGroup) => (
                <Combobox.Group key={group.value} items={group.items}>
                  {group.value !== '' && (
                    <Combobox.GroupLabel className="group-label">{group.value}</Combobox.GroupLabel>
                  )}
                  <Combobox.Collection>
                    {(item: Found) => (
                      <Combobox.Item key={item.value} value={item} disabled={item.isDisabled === true}>
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
            <MoreOptions count={hiddenCount} />
            {state !== undefined && <OptionsState of="options" state={state} />}
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

/** Below a list of options: how many more there are. */
export function MoreOptions({ count }: { count: number }): ReactElement {
  return (
    <Combobox.Status>{count > 0 && <p className="finder-more quiet">{moreOptionsText(count)}</p>}</Combobox.Status>
  );
}

/** The item that only one of the selections has. */
function differenceOf(before: readonly Found[], after: readonly Found[]): Found | undefined {
  const isIn = (items: readonly Found[], { value }: Found) => items.some((item) => item.value === value);
  return after.find((item) => !isIn(before, item)) ?? before.find((item) => !isIn(after, item));
}

function searchedText({ label, hint }: Found): string {
  return `${label} ${hint ?? ''}`;
}
