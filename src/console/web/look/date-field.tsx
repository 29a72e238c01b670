import type { ReactElement } from 'react';

interface DateFieldProps {
  label: string;
  /** A day, such as 2026-12-31; undefined for none. */
  value: string | undefined;
  min?: string;
  hint?: string;
  onChange: (day: string | undefined) => void;
}

export function DateField({ label, value, min, hint, onChange }: DateFieldProps): ReactElement {
  return (
    <label>
      {label}
      <input
        className="field"
        type="date"
        min={min}
        // Browsers take years of six digits, which the API does not.
        max="9999-12-31"
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
      {hint !== undefined && <span className="hint">{hint}</span>}
    </label>
  );
}
