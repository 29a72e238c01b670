import type { ReactElement } from 'react';
import { DateField } from '../look/date-field.js';

const presets = [30, 90, 365] as const;

/** The last day of a key, such as 2026-12-31, or never. Undefined for the default lifetime of the service. */
export type ChosenExpiry = string | undefined;

const never = 'never';

interface ExpiryFieldProps {
  value: ChosenExpiry;
  onChange: (expiry: ChosenExpiry) => void;
}

/** The day on which a credential expires, with presets. */
export function ExpiryField({ value, onChange }: ExpiryFieldProps): ReactElement {
  return (
    <div className="expiry">
      <DateField
        label="Expires"
        value={value === never ? undefined : value}
        min={dayAfter(1)}
        hint={hintOf(value)}
        onChange={onChange}
      />
      <span className="preset-row" role="group" aria-label="Expiry presets">
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
        <button type="button" className="button" aria-pressed={value === never} onClick={() => onChange(never)}>
          Never expires
        </button>
      </span>
    </div>
  );
}

function hintOf(value: ChosenExpiry): string {
  if (value === never) return 'The key works until it is revoked.';
  return value === undefined
    ? 'Without a day, the key works for the default lifetime of the service.'
    : 'The key works until the end of this day.';
}

/** The fields of the input that creates a key. */
export function expiryInput(value: ChosenExpiry): { expiresAt?: string; neverExpires?: boolean } {
  if (value === never) return { neverExpires: true };
  return value === undefined ? {} : { expiresAt: endOfDay(value) };
}

/** The local day a number of days from now. A day on which clocks change has another length. */
export function dayAfter(days: number): string {
  const now = new Date();
  return localDay(new Date(now.getFullYear(), now.getMonth(), now.getDate() + days));
}

/** The choice that stands for an expiry of the API. */
export function chosenExpiry(expiresAt: string | null): ChosenExpiry {
  return expiresAt === null ? never : localDay(new Date(expiresAt));
}

function localDay(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The end of a local day, as the API takes it. */
export function endOfDay(day: string): string {
  return new Date(`${day}T23:59:59.999`).toISOString();
}
