// Arrays as PostgreSQL reads them from a text. A driver writes an array element by element, which for the
// columns of ten thousand events costs more than all else that is done to them.

/** Texts as the literal of a text[]. */
export function arrayLiteral(texts: readonly string[]): string {
  let last = '';
  let written = '""';
  return `{${texts
    .map((text) => {
      // Those that stand together are often the same.
      if (text !== last) [last, written] = [text, quoted(text)];
      return written;
    })
    .join(',')}}`;
}

/** Whole numbers as the literal of an int[] or bigint[]. */
export function numbersLiteral(numbers: readonly (number | string)[]): string {
  return `{${numbers.join(',')}}`;
}

/** What stands for itself in the literal of an array. */
const plain = /^[A-Za-z0-9_:.@/+-]+$/;

/** In any case, without quotes this is no text but the absence of one. */
const absent = 'null';

function quoted(text: string): string {
  const isAbsent = text.length === absent.length && text.toLowerCase() === absent;
  if (plain.test(text) && !isAbsent) return text;
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
