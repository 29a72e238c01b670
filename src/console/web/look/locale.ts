// One locale for numbers, dates and money: the preferred language of the browser. All formatters of the console come from
// here, so that no view mixes two locales.

/** The locale of the browser, such as `de-AT`. */
export const locale = typeof navigator === 'undefined' ? 'en-US' : navigator.language;

const numbers = new Map<string, Intl.NumberFormat>();
const dates = new Map<string, Intl.DateTimeFormat>();

/** A formatter of numbers. The same options return the same formatter. */
export function numberFormat(options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  const key = JSON.stringify(options);
  const format = numbers.get(key) ?? new Intl.NumberFormat(locale, options);
  numbers.set(key, format);
  return format;
}

/** A formatter of dates and times. The same options return the same formatter. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const format = dates.get(key) ?? new Intl.DateTimeFormat(locale, options);
  dates.set(key, format);
  return format;
}

/** A percentage, such as 4.2% in English and 4,2 % in German. */
export function formatPercent(percent: number, digits = 0): string {
  return numberFormat({ style: 'unit', unit: 'percent', maximumFractionDigits: digits }).format(percent);
}

/** The time zone of the browser, such as Europe/Lisbon. */
export function browserZone(): string {
  return dateFormat({}).resolvedOptions().timeZone;
}

/** Compares two texts as people of the locale sort them, with numbers by their value. */
export function compareTexts(one: string, other: string): number {
  return one.localeCompare(other, locale, { numeric: true });
}
