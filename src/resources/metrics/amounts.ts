// Money in whole nano-dollars and usage in whole micro-units: what is added up is never a fraction (decision 37).

export const costDigits = 9;
export const usageDigits = 6;

/** Bounds of one event, so that no sum of a billing period leaves 64 bits. */
export const costMaxUsd = 1_000_000;
export const usageMax = 1_000_000_000;

/**
 * Reads a decimal, as a number or as text, with at most so many places.
 *
 * @returns the whole number of its smallest units as text, or the rule that it breaks.
 */
export function unitsFromDecimal(value: unknown, digits: number, max: number): string | { rule: string } {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max) {
    return value === 0 ? '0' : `${value}${'0'.repeat(digits)}`;
  }
  const text = typeof value === 'number' ? decimalText(value) : value;
  if (typeof text !== 'string') return { rule: 'must be a number, or a decimal as text' };
  const match = /^(\d{1,18})(?:\.(\d+))?$/.exec(text);
  if (match === null) return { rule: 'must be a decimal number that is not negative' };
  const [, whole = '', fraction = ''] = match;
  const significant = fraction.replace(/0+$/, '');
  if (significant.length > digits) return { rule: `must have at most ${digits} decimal places` };
  const units = `${whole}${significant.padEnd(digits, '0')}`.replace(/^0+(?=\d)/, '');
  const isTooMuch = Number(whole) > max || (Number(whole) === max && significant !== '');
  return isTooMuch ? { rule: `must be at most ${max}` } : units;
}

/** JavaScript writes small numbers with an exponent. */
function decimalText(value: number): string {
  const text = String(value);
  return /e-/.test(text) ? value.toFixed(20).replace(/0+$/, '') : text;
}

/** A whole number of smallest units as a decimal, without zeros at its end: a JSON number that is exact. */
export function decimalFromUnits(units: bigint, digits: number): string {
  if (units < 0n) return `-${decimalFromUnits(-units, digits)}`;
  const text = units.toString().padStart(digits + 1, '0');
  const whole = text.slice(0, -digits);
  let end = text.length;
  while (end > whole.length && text.charCodeAt(end - 1) === 48) end--;
  return end === whole.length ? whole : `${whole}.${text.slice(whole.length, end)}`;
}
