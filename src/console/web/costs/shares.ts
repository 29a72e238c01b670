import { numberFormat } from '../look/locale.js';
import { totalOf } from './metrics.js';

const tenths = 1000n;

/**
 * The share of each part as texts that add up to 100.0%. The remainder of rounding down goes to the parts that lost most.
 * Undefined if a part is negative (a credit), because shares would be meaningless.
 */
export function sharesOf(parts: readonly bigint[]): string[] | undefined {
  const total = totalOf(parts);
  if (total <= 0n || parts.some((part) => part < 0n)) return undefined;
  const shares = parts.map((part) => (part * tenths) / total);
  const left = Number(tenths - totalOf(shares));
  const byRemainder = parts
    .map((part, index) => ({ index, remainder: (part * tenths) % total }))
    .toSorted((one, other) => (one.remainder === other.remainder ? 0 : one.remainder < other.remainder ? 1 : -1));
  for (const { index } of byRemainder.slice(0, left)) shares[index] = (shares[index] ?? 0n) + 1n;
  return shares.map((share) => percentText(Number(share) / 10));
}

/** The share of a whole, with one decimal. */
export function percentText(percent: number): string {
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return numberFormat({ style: 'unit', unit: 'percent', ...digits }).format(percent);
}
