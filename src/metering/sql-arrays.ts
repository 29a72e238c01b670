// Array literals of PostgreSQL. The driver serializes arrays element by element, which for 10,000 events would take
// longer than everything else.

/** Returns the literal of a text[]. */
export function arrayLiteral(texts: readonly string[]): string {
  let last = '';
  let written = '""';
  return `{${texts
    .map((text) => {
      // Adjacent values are often equal.
      if (text !== last) [last, written] = [text, quoted(text)];
      return written;
    })
    .join(',')}}`;
}

/** Returns the literal of an int[] or bigint[]. */
export function numbersLiteral(numbers: readonly (number | string)[]): string {
  return `{${numbers.join(',')}}`;
}

/** Text that needs no quotes in an array literal. */
const plain = /^[A-Za-z0-9_:.@/+-]+$/;

/** Without quotes, this text in any case is the null element. */
const absent = 'null';

function quoted(text: string): string {
  const isAbsent = text.length === absent.length && text.toLowerCase() === absent;
  if (plain.test(text) && !isAbsent) return text;
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
