import { useState } from 'react';
import type { ReactElement } from 'react';
import { datesOf, windowOfDates } from './window.js';
import type { Window } from './window.js';
import type { TimeZone } from './zone.js';
import './day-fields.css';

/** The range that the API supports. */
const [earliest, latest] = ['2000-01-01', '2099-12-31'];

interface DayFieldsProps {
  window: Window;
  zone: TimeZone;
  onChange: (window: Window) => void;
}

/** The start and end date, in whole days of a time zone. */
export function DayFields({ window, zone, onChange }: DayFieldsProps): ReactElement {
  const dates = datesOf(window, zone);
  const [first, setFirst] = useState(dates.first);
  const [last, setLast] = useState(dates.last);
  const chosen = first < earliest || last > latest ? undefined : windowOfDates(first, last, zone);
  const isOther = first !== dates.first || last !== dates.last;
  return (
    <form
      className="day-fields"
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen !== undefined && isOther) onChange(chosen);
      }}
    >
      <DayField label="Start date" value={first} isWrong={chosen === undefined} onChange={setFirst} />
      <span aria-hidden="true">–</span>
      <DayField label="End date" value={last} isWrong={chosen === undefined} onChange={setLast} />
      {isOther && (
        <button type="submit" className="button" disabled={chosen === undefined}>
          Apply
        </button>
      )}
    </form>
  );
}

interface DayFieldProps {
  label: string;
  value: string;
  isWrong: boolean;
  onChange: (value: string) => void;
}

function DayField({ label, value, isWrong, onChange }: DayFieldProps): ReactElement {
  return (
    <input
      className="field"
      type="date"
      aria-label={label}
      aria-invalid={isWrong}
      min={earliest}
      max={latest}
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
