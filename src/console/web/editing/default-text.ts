import type { FieldShape } from '../build/input-shapes.js';

/** The default of a field according to its description, such as `UTC` for "Time zone (default: UTC)."; if it has one. */
export function defaultOf({ hint }: Pick<FieldShape, 'hint'>): string | undefined {
  return /\bdefault: ([^.;)]+)/i.exec(hint)?.[1];
}

/** The text of a field that is not set. */
export function unsetText(shape: FieldShape): string {
  const value = defaultOf(shape);
  if (value === undefined) return 'Default: set by the platform';
  return `Default: ${value === 'true' ? 'yes' : value === 'false' ? 'no' : value}`;
}
