// Arrays as PostgreSQL reads them from a text. A driver writes an array element by element, which for the
// columns of ten thousand events costs more than all else that is done to them.

/** Texts as the literal of a text[]. */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map(quoted).join(',')}}`;
}

/** Whole numbers as the literal of an int[] or bigint[]. */
export function numbersLiteral(numbers: readonly (number | string)[]): string {
  return `{${numbers.join(',')}}`;
}

const plain = /^[A-Za-z0-9_:.@/+-]+$/;

function quoted(text: string): string {
  if (plain.test(text) && text.length !== 4) return text;
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
