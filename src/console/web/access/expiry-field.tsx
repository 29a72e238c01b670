import type { ReactElement } from 'react';
import { DateField } from '../look/date-field.js';

const dayMs = 86_400_000;
const presets = [30, 90, 365] as const;

interface ExpiryFieldProps {
  /** The last day, such as 2026-12-31; undefined to never expire. */
  value: string | undefined;
  onChange: (day: string | undefined) => void;
}

/** The day on which a credential expires, with presets. */
export function ExpiryField({ value, onChange }: ExpiryFieldProps): ReactElement {
  return (
    <div className="expiry">
      <DateField
        label="Expires"
        value={value}
        min={dayAfter(1)}
        hint={value === undefined ? 'The key works until it is revoked.' : 'The key works until the end of this day.'}
        onChange={onChange}
      />
      <span className="expiry-presets" role="group" aria-label="Expiry presets">
        {presets.map((days) => (
          <button
            key={days}
            type="button"
            className="button"
            aria-pressed={value === dayAfter(days)}
            onClick={() => onChange(dayAfter(days))}
          >
            {days} days
          </button>
        ))}
        <button type="button" className="button" aria-pressed={value === undefined} onClick={() => onChange(undefined)}>
          Never expires
        </button>
      </span>
    </div>
  );
}

/** The local day a number of days from now. */
export function dayAfter(days: number): string {
  const date = new Date(Date.now() + days * dayMs);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The end of a local day, as the API takes it. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59.999`).toISOString();
}
