import { Select } from '@base-ui/react/select';
import { useId, useRef } from 'react';
import type { ReactElement } from 'react';
import { Finder } from './finder.js';
import { optionsShownMax } from './first-options.js';
import { Icon } from './icon.js';
import { stayOpen } from './stay-open.js';

interface ChoiceProps<Value extends string> {
  label: string;
  /** Set if the label is outside of the control, as in a form. */
  ids?: { id: string; describedBy: string | undefined; isInvalid: boolean };
  /** Whether only screen readers get the label. */
  isLabelHidden?: boolean;
  /** Whether it is a field of a form: with the label above it, as wide as its column. */
  isField?: boolean;
  /** What a field of a form says below it, such as why an option is disabled. */
  note?: string | undefined;
  value: Value;
  options: readonly { value: Value; label: string; hint?: string; isDisabled?: boolean }[];
  onChange: (value: Value) => void;
}

/**
 * A select with its label in front of the value ("Group by resource type"), or above it in a form. With many options, it can
 * be searched.
 */
export function Choice<Value extends string>({
  label,
  ids,
  isLabelHidden = false,
  isField = false,
  note,
  value,
  options,
  onChange,
}: ChoiceProps<Value>): ReactElement {
  const noteId = useId();
  const trigger = useRef<HTMLButtonElement>(null);
  const choose = (next: Value) => {
    onChange(next);
    // As a field of the browser does: a dialog asks before it discards what was chosen.
    trigger.current?.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const naming =
    ids === undefined
      ? { 'aria-label': label, 'aria-describedby': note === undefined ? undefined : noteId }
      : { id: ids.id, 'aria-describedby': ids.describedBy, 'aria-invalid': ids.isInvalid };
  const shownLabel = ids === undefined && !isLabelHidden && !isField && <span className="quiet">{label}</span>;
  const valueLabel = options.find((each) => each.value === value)?.label;
  const select =
    options.length > optionsShownMax ? (
      <Finder
        trigger={trigger}
        label={label}
        naming={naming}
        placeholder={`Find: ${label}`}
        value={value}
        groups={() => [{ value: '', items: options }]}
        onChoose={(chosen) => {
          const option = options.find((each) => each.value === chosen);
          if (option !== undefined) choose(option.value);
        }}
      >
        {shownLabel}
        <span className="cut" title={valueLabel}>
          {valueLabel}
        </span>
      </Finder>
    ) : (
      <Select.Root
        onOpenChange={stayOpen}
        items={options}
        value={value}
        onValueChange={(next: Value | null, { reason }) => {
          // If the selected option is removed, Base UI reports the first one, which nobody chose.
          if (next !== null && reason === 'item-press') choose(next);
        }}
      >
        <Select.Trigger ref={trigger} className="button choice" {...naming}>
          {shownLabel}
          <Select.Value className="cut" title={valueLabel} />
          <Icon name="down" />
        </Select.Trigger>
        <Select.Portal>
          <Select.Positioner className="positioner" sideOffset={4} alignItemWithTrigger={false}>
            <Select.Popup className="popup">
              <Select.List>
                {options.map((option) => (
                  <Select.Item key={option.value} value={option.value} disabled={option.isDisabled === true}>
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
  if (!isField) return select;
  return (
    <div className="label">
      <span aria-hidden="true">{label}</span>
      {select}
      {note !== undefined && (
        <span className="hint" id={noteId}>
          {note}
        </span>
      )}
    </div>
  );
}
