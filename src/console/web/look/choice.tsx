import { Select } from '@base-ui/react/select';
import type { ReactElement } from 'react';
import { Icon } from './icon.js';

interface ChoiceProps<Value extends string> {
  label: string;
  /** Given where the label stands outside of it, in a form. */
  ids?: { id: string; describedBy: string | undefined; isInvalid: boolean };
  /** Whether the label is for who cannot see what it stands beside. */
  isLabelHidden?: boolean;
  value: Value;
  options: readonly { value: Value; label: string; hint?: string }[];
  onChange: (value: Value) => void;
}

/** One of several, shown as a sentence: "group by resource type". */
export function Choice<Value extends string>({
  label,
  ids,
  isLabelHidden = false,
  value,
  options,
  onChange,
}: ChoiceProps<Value>): ReactElement {
  return (
    <Select.Root
      items={options}
      value={value}
      onValueChange={(next: Value | null, { reason }) => {
        // Where the option that held goes away it tells of the first one ever, which nobody chose.
        if (next !== null && reason === 'item-press') onChange(next);
      }}
    >
      <Select.Trigger
        className="button choice"
        {...(ids === undefined
          ? { 'aria-label': label }
          : { id: ids.id, 'aria-describedby': ids.describedBy, 'aria-invalid': ids.isInvalid })}
      >
        {ids === undefined && !isLabelHidden && <span className="quiet">{label}</span>}
        <Select.Value />
        <Icon name="down" />
      </Select.Trigger>
      <Select.Portal>
        <Select.Positioner className="positioner" sideOffset={4} alignItemWithTrigger={false}>
          <Select.Popup className="popup">
            <Select.List>
              {options.map((option) => (
                <Select.Item key={option.value} value={option.value}>
                  <Select.ItemText>{option.label}</Select.ItemText>
                  {option.hint !== undefined && <span className="quiet end">{option.hint}</span>}
                  <Select.ItemIndicator className={option.hint === undefined ? 'end' : ''}>
                    <Icon name="check" />
                  </Select.ItemIndicator>
                </Select.Item>
              ))}
            </Select.List>
          </Select.Popup>
        </Select.Positioner>
      </Select.Portal>
    </Select.Root>
  );
}
