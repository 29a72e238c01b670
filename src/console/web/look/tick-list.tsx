import type { ReactElement } from 'react';
import './tick-list.css';

interface TickListProps<Value extends string> {
  legend: string;
  /** The meaning of an empty selection. */
  none: string;
  options: readonly { value: Value; label: string }[];
  chosen: readonly Value[];
  onChange: (chosen: Value[]) => void;
}

/** A list of checkboxes. */
export function TickList<Value extends string>({
  legend,
  none,
  options,
  chosen,
  onChange,
}: TickListProps<Value>): ReactElement {
  const next = new Set<string>(chosen);
  return (
    <fieldset className="tick-list">
      <legend>
        {legend} <span className="quiet">{chosen.length === 0 ? none : `${chosen.length} of ${options.length}`}</span>
      </legend>
      <div>
        {options.map(({ value, label }) => (
          <label key={value}>
            <input
              type="checkbox"
              checked={next.has(value)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(
                  options.map((each) => each.value).filter((each) => (each === value ? checked : next.has(each))),
                )
              }
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
