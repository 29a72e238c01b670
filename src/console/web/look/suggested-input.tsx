import { Autocomplete } from '@base-ui/react/autocomplete';
import { useRef, useState } from 'react';
import type { ComponentProps, ReactElement } from 'react';
import { MoreOptions } from './finder.js';
import { firstOptions } from './first-options.js';
import './finder.css';

interface SuggestedInputProps extends Pick<
  ComponentProps<'input'>,
  'aria-label' | 'placeholder' | 'maxLength' | 'required'
> {
  value: string;
  onChange: (value: string) => void;
  suggestions: readonly string[];
}

/**
 * Base UI clears a field whose list is closed on Escape. The key belongs to the dialog around the field.
 *
 * @returns whether the change comes from Escape
 */
export function leaveEscape(details: Autocomplete.Root.ChangeEventDetails): boolean {
  if (details.reason !== 'escape-key') return false;
  details.cancel();
  details.allowPropagation();
  return true;
}

/** A text field that suggests values. It lists the first that contain the typed text, and how many more there are. */
export function SuggestedInput({ value, onChange, suggestions, ...input }: SuggestedInputProps): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  const [isOpen, setOpen] = useState(false);
  const typed = value.trim().toLowerCase();
  const matches = suggestions.filter((each) => each.toLowerCase().includes(typed) && each !== value);
  const { shown, hiddenCount } = firstOptions(matches, () => false);
  return (
    <Autocomplete.Root
      items={shown}
      mode="none"
      openOnInputClick
      open={isOpen && shown.length > 0}
      onOpenChange={setOpen}
      value={value}
      onValueChange={(next, details) => {
        if (leaveEscape(details)) return;
        onChange(next);
        // As if it was typed: a dialog asks before it discards what was chosen.
        if (details.reason === 'item-press') field.current?.dispatchEvent(new Event('input', { bubbles: true }));
      }}
    >
      <Autocomplete.Input
        {...input}
        ref={field}
        className="field"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
      />
      <Autocomplete.Portal>
        <Autocomplete.Positioner className="positioner" sideOffset={4} align="start">
          <Autocomplete.Popup className="popup finder">
            <Autocomplete.List className="finder-list" aria-label="Suggestions">
              {(each: string) => (
                <Autocomplete.Item key={each} value={each}>
                  {each}
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
            <MoreOptions count={hiddenCount} />
          </Autocomplete.Popup>
        </Autocomplete.Positioner>
      </Autocomplete.Portal>
    </Autocomplete.Root>
  );
}
