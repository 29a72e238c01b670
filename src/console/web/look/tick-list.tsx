import { useState } from 'react';
import type { ReactElement } from 'react';
import { firstOptions, moreOptionsText, optionsShownMax } from './first-options.js';
import './tick-list.css';

interface TickListProps<Value extends string> {
  legend: string;
  /** The meaning of an empty selection. */
  none: string;
  options: readonly { value: Value; label: string }[];
  chosen: readonly Value[];
  onChange: (chosen: Value[]) => void;
}

/** A list of checkboxes. With many options, it can be searched, and shows the ticked ones and the first others. */
export function TickList<Value extends string>({
  legend,
  none,
  options,
  chosen,
  onChange,
}: TickListProps<Value>): ReactElement {
  const next = new Set<string>(chosen);
  const [typed, setTyped] = useState('');
  const isSearched = options.length > optionsShownMax;
  const query = typed.trim().toLowerCase();
  const rest = options.filter(({ value, label }) => !next.has(value) && label.toLowerCase().includes(query));
  const { shown, hiddenCount } = firstOptions(rest, () => false);
  // In their own order, so that a box stays where it is when it is ticked.
  const listed = isSearched ? options.filter((each) => next.has(each.value) || shown.includes(each)) : options;
  return (
    <fieldset className="tick-list">
      <legend>
        {legend} <span className="quiet">{chosen.length === 0 ? none : `${chosen.length} of ${options.length}`}</span>
      </legend>
      {isSearched && (
        <input
          className="field"
          type="search"
          aria-label={`Find: ${legend}`}
          placeholder="Find"
          value={typed}
          // A search is no entry of the form.
          onInput={(event) => event.stopPropagation()}
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault();
          }}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <div>
        {listed.map(({ value, label }) => (
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
      {isSearched && (
        <p className="hint" role="status">
          {hiddenCount > 0 && moreOptionsText(hiddenCount)}
        </p>
      )}
    </fieldset>
  );
}
