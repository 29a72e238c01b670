import type { ReactElement } from 'react';

/** The networks from which a key works, one in each line. Empty: any address. */
export function AddressesField({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}): ReactElement {
  return (
    <label>
      Allowed addresses
      <textarea
        className="field lines"
        placeholder="Any address"
        spellCheck={false}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <span className="hint">CIDR ranges, one per line, such as 203.0.113.0/24.</span>
    </label>
  );
}

export function rangesIn(addresses: string): string[] {
  return addresses.split(/[\s,]+/).filter((range) => range !== '');
}
