// Money in whole nano-dollars and usage in whole micro-units, so that sums are exact (decision 37).
import type { Refusal } from './instant.js';

export const costDigits = 9;
export const usageDigits = 6;

/** Limits per event, so that no sum of a billing period overflows 64 bits. */
export const costMaxUsd = 1_000_000;
export const usageMax = 1_000_000_000;

/** An amount that rounding changed by more than one part in 10^12. */
export interface RoundedAmount {
  units: string;
}

/** Accepts an exponent, because JavaScript and Python write small numbers with one. No double needs more digits. */
const decimal = /^(\d{1,400})(?:\.(\d{1,400}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Parses a decimal, given as a number or as text. Extra fractional digits are rounded half-even (decision 61).
 *
 * @param digits the number of fractional digits stored.
 * @returns the amount in the smallest units as text, a RoundedAmount when rounding changed it by more than one part in
 * 10^12, or the rule that the value breaks.
 */
export function unitsFromDecimal(value: unknown, digits: number, max: number): string | RoundedAmount | Refusal {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= max) {
    return value === 0 ? '0' : `${value}${'0'.repeat(digits)}`;
  }
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return { rule: 'must be a number, or a string with a decimal number' };
  const plain = plainUnits(text, digits, max);
  if (plain !== undefined) return plain;
  const match = decimal.exec(text);
  if (match === null) return { rule: 'must be a decimal number of at least 0' };
  const [, whole = '', fraction = '', exponent] = match;
  if (exponent !== undefined || fraction.length > digits) {
    return roundedUnits(`${whole}${fraction}`, whole.length + Number(exponent ?? 0) + digits, digits, max);
  }
  const units = `${whole}${fraction.padEnd(digits, '0')}`.replace(/^0+(?=\d)/, '');
  const isTooMuch = Number(whole) > max || (Number(whole) === max && /[1-9]/.test(fraction));
  return isTooMuch ? { rule: `must be at most ${max}` } : units;
}

const notPositive = 'must be a decimal number of at most 0, because the billing dimension is a credit';

/** Parses the amount of a credit, which is negative or zero. See unitsFromDecimal(). */
export function creditFromDecimal(value: unknown, digits: number, max: number): string | RoundedAmount | Refusal {
  if (typeof value !== 'number' && typeof value !== 'string') return unitsFromDecimal(value, digits, max);
  const text = String(value);
  const size = text.startsWith('-') ? text.slice(1) : text;
  if (size === text && Number(text) > 0) return { rule: notPositive };
  const units = unitsFromDecimal(size, digits, max);
  if (typeof units === 'string') return negated(units);
  if ('units' in units) return { units: negated(units.units) };
  return { rule: Number(size) > max ? `must be at least -${max}` : notPositive };
}

function negated(units: string): string {
  return units === '0' ? units : `-${units}`;
}

/** Fast path for common amounts: digits with at most one point and no more than the stored fractional digits. */
function plainUnits(text: string, digits: number, max: number): string | undefined {
  let point = -1;
  let first = -1;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === pointCode && point < 0 && index > 0) point = index;
    else if (code < zeroCode || code > nineCode) return undefined;
    else if (first < 0 && code > zeroCode) first = index;
  }
  const integerDigits = point < 0 ? text.length : point;
  const fraction = point < 0 ? 0 : text.length - point - 1;
  if (integerDigits === 0 || fraction > digits || (point >= 0 && fraction === 0)) return undefined;
  if (integerDigits - Math.max(0, Math.min(first, integerDigits)) >= String(max).length) return undefined;
  if (first < 0) return '0';
  const zeros = '0'.repeat(digits - fraction);
  if (first > point && point >= 0) return text.slice(first) + zeros;
  return point < 0 ? text.slice(first) + zeros : text.slice(first, point) + text.slice(point + 1) + zeros;
}

const [pointCode, zeroCode, nineCode] = [46, 48, 57];

/** @param point the position of the decimal point in `places`; it may lie beyond their end. */
function roundedUnits(
  digitsText: string,
  point: number,
  digits: number,
  max: number,
): string | RoundedAmount | Refusal {
  const padded = digitsText.padEnd(point, '0');
  const integer = BigInt(padded.slice(0, Math.max(point, 0)) || '0');
  const dropped = padded.slice(Math.max(point, 0)).padStart(padded.length - point, '0');
  // Texts of equal length compare like the numbers they hold.
  const half = '5'.padEnd(dropped.length, '0');
  const isUp = dropped > half || (dropped === half && integer % 2n === 1n);
  const units = isUp ? integer + 1n : integer;
  if (units > BigInt(max) * 10n ** BigInt(digits)) return { rule: `must be at most ${max}` };
  const one = 10n ** BigInt(dropped.length);
  const exact = integer * one + BigInt(dropped || '0');
  const change = exact - units * one;
  const isMaterial = (change < 0n ? -change : change) * 10n ** 12n > exact;
  return isMaterial ? { units: units.toString() } : units.toString();
}

/** Divides an amount by a positive number. The quotient is rounded half-even (decision 61). */
export function divideHalfEven(amount: bigint, divisor: bigint): bigint {
  if (amount < 0n) return -divideHalfEven(-amount, divisor);
  const quotient = amount / divisor;
  const twice = (amount % divisor) * 2n;
  const isUp = twice > divisor || (twice === divisor && quotient % 2n === 1n);
  return isUp ? quotient + 1n : quotient;
}

/** Formats an amount in smallest units as a decimal without trailing zeros, which is an exact JSON number. */
export function decimalFromUnits(units: bigint, digits: number): string {
  return decimalFromText(units.toString(), digits);
}

/** Formats an amount that is already text. See decimalFromUnits(). */
export function decimalFromText(units: string, digits: number): string {
  if (units.startsWith('-')) return `-${decimalFromText(units.slice(1), digits)}`;
  const text = units.padStart(digits + 1, '0');
  const integer = text.slice(0, -digits);
  let end = text.length;
  while (end > integer.length && text.charCodeAt(end - 1) === zeroCode) end--;
  return end === integer.length ? integer : `${integer}.${text.slice(integer.length, end)}`;
}
