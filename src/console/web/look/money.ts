import { decimalFrom, toDecimal } from './decimal.js';
import { formatPercent, numberFormat } from './locale.js';

const dollars = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;

/** US dollars from nano-dollars, rounded to the cent, in the viewer's locale. */
export function formatMoney(nano: bigint): string {
  return numberFormat(dollars).format(decimalFrom(nano));
}

const centNano = 10_000_000n;

/** An amount, under a cent with two significant digits instead of $0.00: single events often cost less than a cent. */
export function formatFineMoney(nano: bigint): string {
  const size = nano < 0n ? -nano : nano;
  if (size === 0n || size >= centNano) return formatMoney(nano);
  return numberFormat({ ...dollars, maximumSignificantDigits: 2 }).format(decimalFrom(nano));
}

/** The price of a unit with all its digits. @param price a decimal text of the API */
export function formatPrice(price: string, currency = 'USD'): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 12 };
  return numberFormat({ ...dollars, currency, ...digits }).format(toDecimal(price));
}

/** A price that was calculated from a rounded cost, without the digits that are rounding errors. */
export function formatAboutPrice(price: string): string {
  return `≈ ${numberFormat({ ...dollars, maximumSignificantDigits: 4 }).format(Number(price))}`;
}

/** For forecasts: without cents unless the amount is small. */
export function formatRoundMoney(amount: number): string {
  const isSmall = Math.abs(amount) < 10 && amount !== 0;
  const isWhole = !isSmall || Number.isInteger(amount);
  const digits = isWhole ? 0 : 2;
  return numberFormat({ ...dollars, maximumFractionDigits: digits, minimumFractionDigits: digits }).format(amount);
}

/**
 * Labels for the ticks of an axis: without cents for whole dollars, and with enough digits to distinguish ticks that are
 * closer than a cent.
 *
 * @param ticks round amounts in US dollars, in order and evenly spaced.
 */
export function formatMoneyTicks(ticks: readonly number[]): string[] {
  const [first = 0, second = first + 1] = ticks;
  const step = Math.abs(second - first);
  // A little less, because 0.001 is not exact in binary.
  const digits = ticks.every(Number.isInteger) ? 0 : Math.max(2, Math.ceil(-Math.log10(step) - 1e-9));
  const options = { ...dollars, maximumFractionDigits: digits, minimumFractionDigits: digits };
  return ticks.map((tick) => numberFormat(options).format(tick));
}

/** The exact amount, for hovering and copying. */
export function exactMoney(nano: bigint): string {
  return `${decimalFrom(nano)} USD`;
}

export function formatCount(count: number): string {
  return numberFormat().format(count);
}

/** A change in percent; undefined if the previous amount was zero or negative. */
export function changeOf(now: bigint, before: bigint): number | undefined {
  return before <= 0n ? undefined : Number(((now - before) * 10_000n) / before) / 100;
}

/** Such as ▲ 18% or ▼ 4.2%. The direction is a sign, not only a colour. */
export function formatChange(percent: number): string {
  const size = Math.abs(percent);
  const digits = size < 10 ? 1 : 0;
  if (Number(size.toFixed(digits)) === 0) return 'no change';
  return `${percent > 0 ? '▲' : '▼'} ${formatPercent(size, digits)}`;
}

/** Dollars as a number. Use it only for lengths in charts. */
export function dollarsOf(nano: bigint): number {
  return Number(nano / 1000n) / 1e6;
}

/** A difference with its sign, such as +$4.20. */
export function formatDelta(nano: bigint): string {
  return numberFormat({ ...dollars, signDisplay: 'exceptZero' })
    .format(decimalFrom(nano))
    .replace('-', '−');
}
