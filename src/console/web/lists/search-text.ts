/** The search part of an address, read: anything, since anybody can write an address. */
export type SearchText = Record<string, unknown>;

/** A text of it; undefined for what is absent, empty, or no text. A name such as 42 is read as a number. */
export function textIn(search: SearchText, name: string): string | undefined {
  const value = search[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A time of it, in UTC; undefined for what is none. */
export function timeIn(search: SearchText, name: string): string | undefined {
  const text = textIn(search, name);
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
