// A condition on a label in a URL: "team:billing" for a value, "team" for any value, "!team" for none. Colons and percent
// signs of keys, and exclamation marks before them, are percent-encoded.

export interface LabelFilter {
  key: string;
  in?: string[];
  isSet?: boolean;
}

/** @param value the value; undefined for resources without the label */
export function labelFilterText(key: string, value: string | undefined): string {
  return value === undefined ? labelPresenceText(key, false) : `${writtenKey(key)}:${value}`;
}

/** The condition that resources have the label, or that they do not. */
export function labelPresenceText(key: string, isSet: boolean): string {
  return isSet ? writtenKey(key) : `!${writtenKey(key)}`;
}

function writtenKey(key: string): string {
  return key.replaceAll('%', '%25').replaceAll(':', '%3A').replace(/^!/, '%21');
}

export function labelFilterOf(text: string): LabelFilter {
  const isAbsent = text.startsWith('!') && text.length > 1;
  const rest = isAbsent ? text.slice(1) : text;
  const colon = isAbsent ? -1 : rest.indexOf(':');
  if (colon < 1) return { key: keyOf(rest), isSet: !isAbsent };
  return { key: keyOf(rest.slice(0, colon)), in: [rest.slice(colon + 1)] };
}

/** The text of a condition for people, such as "team: billing". */
export function labelFilterLabel(text: string): string {
  const { key, in: values, isSet } = labelFilterOf(text);
  if (values !== undefined) return `${key}: ${values.join(', ')}`;
  return isSet === false ? `no ${key}` : key;
}

/** The conditions in a URL: one text, or several. */
export function labelFiltersIn(value: unknown, max: number): string[] {
  const texts = (Array.isArray(value) ? value : [value]).filter(
    (each): each is string => typeof each === 'string' && each !== '',
  );
  return [...new Set(texts)].slice(0, max);
}

function keyOf(written: string): string {
  return written.replaceAll(/%(25|3A|21)/g, (encoded) => decodeURIComponent(encoded));
}
