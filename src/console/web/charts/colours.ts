// A value has the same colour in every view, because the colour depends only on the value.
const seriesCount = 8;

const known = new Map([
  ['agent', 0],
  ['sandbox', 1],
  ['job', 2],
  ['mcp_server', 3],
  ['volume', 4],
  ['custom_domain', 5],
]);

/** Colours for the values of a chart. On a collision, the later value in alphabetical order takes the next free colour. */
export function coloursOf(values: readonly string[]): Map<string, string> {
  const used = new Set<number>();
  const colours = new Map<string, string>();
  for (const value of values.toSorted()) {
    let index = known.get(value) ?? hashOf(value) % seriesCount;
    for (let tries = 0; tries < seriesCount && used.has(index); tries++) index = (index + 1) % seriesCount;
    used.add(index);
    colours.set(value, `var(--series-${index})`);
  }
  return colours;
}

export const otherColour = 'var(--series-other)';

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}
