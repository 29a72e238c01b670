// A search term as SQL: by its pieces of two characters, which the inverted index knows, and as the
// pattern that rows are checked with.
import { Prisma } from './client/client.js';

/** So many pieces of a term are looked up: more of them take longer, and hardly rule out more. */
const piecesMax = 6;

/** The grams of some pieces of two characters, spread over the term. */
export function gramsOf(workspaceId: Prisma.Sql, term: string): Prisma.Sql {
  const characters = Array.from(term);
  const last = characters.length - 2;
  const count = Math.min(piecesMax, Math.ceil(characters.length / 2));
  const pieces = Array.from({ length: count }, (_, index) => {
    const start = count === 1 ? 0 : Math.round((index * last) / (count - 1));
    return characters.slice(start, start + 2).join('');
  });
  return Prisma.join(
    pieces.map((piece) => Prisma.sql`search_grams(${workspaceId}, ${piece})`),
    ' || ',
  );
}

/** The pattern that finds the term anywhere: `%`, `_` and `\` in it are literal (decision 12). */
export function likePattern(term: string): string {
  return `%${likeText(term)}%`;
}

/** A part of a pattern that stands for itself alone. */
export function likeText(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
