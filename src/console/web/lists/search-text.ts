/** The parsed search parameters of a URL, which can be anything. */
export type SearchText = Record<string, unknown>;

/** A text parameter; undefined if it is missing, empty or not a text. Numbers, such as a name 42, are converted. */
export function textIn(search: SearchText, name: string): string | undefined {
  const value = search[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A time parameter in UTC; undefined if it is invalid. */
export function timeIn(search: SearchText, name: string): string | undefined {
  const text = textIn(search, name);
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
}
