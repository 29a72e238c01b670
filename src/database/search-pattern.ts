// A search term as SQL: by its pieces of two characters, which the inverted index knows, and as the
// pattern that rows are checked with.
import { Prisma } from './client/client.js';

/** So many pieces of a term are looked up: more of them take longer, and hardly rule out more. */
const piecesMax = 6;

/** The grams of some pieces of two characters, spread over the term. */
export function gramsOf(workspaceId: Prisma.Sql, term: string): Prisma.Sql {
  const pieces = piecesOf(term, 2);
  const count = Math.min(piecesMax, Math.ceil((pieces.length + 1) / 2));
  const spread = Array.from({ length: count }, (_, index) => {
    const place = count === 1 ? 0 : Math.round((index * (pieces.length - 1)) / (count - 1));
    return pieces[place] ?? '';
  });
  return Prisma.join(
    spread.map((piece) => Prisma.sql`search_grams(${workspaceId}, ${piece})`),
    ' || ',
  );
}

/** All pieces of so many characters, as they follow each other; none of a shorter term. */
function piecesOf(term: string, length: number): string[] {
  const characters = Array.from(term);
  return characters.slice(length - 1).map((_, place) => characters.slice(place, place + length).join(''));
}

/** The pattern that finds the term anywhere: `%`, `_` and `\` in it are literal (decision 12). */
export function likePattern(term: string): string {
  return `%${likeText(term)}%`;
}

/** A part of a pattern that stands for itself alone. */
export function likeText(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
