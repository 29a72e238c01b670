// A search term as SQL: as bigrams, which the inverted index finds, and as the LIKE pattern that rows are checked with.
import { Prisma } from './client/client.js';

/** How many bigrams of a term are looked up: more take longer and exclude few further rows. */
const piecesMax = 6;

/** Some bigrams, spread over the term. */
export function gramsOf(workspaceId: Prisma.Sql, term: string): Prisma.Sql {
  const pieces = piecesOf(term, 2);
  const count = Math.min(piecesMax, Math.ceil((pieces.length + 1) / 2));
  const spread = Array.from({ length: count }, (_, index) => {
    const position = count === 1 ? 0 : Math.round((index * (pieces.length - 1)) / (count - 1));
    return pieces[position] ?? '';
  });
  return Prisma.join(
    spread.map((piece) => Prisma.sql`search_grams(${workspaceId}, ${piece})`),
    ' || ',
  );
}

/** All pieces of a term with this number of characters, in order; none if the term is shorter. */
function piecesOf(term: string, length: number): string[] {
  const characters = Array.from(term);
  return characters.slice(length - 1).map((_, index) => characters.slice(index, index + length).join(''));
}

/** The pattern that finds the term anywhere: `%`, `_` and `\` in it are literal (decision 12). */
export function likePattern(term: string): string {
  return `%${likeText(term)}%`;
}

/** Escapes a text so that it is literal in a pattern. */
export function likeText(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

/**
 * SQL of a text in the form that search terms have (foldCase() in pagination/page.ts), for lists that store no column
 * `search`: lower case, with a single form of the Greek sigma. The dotted capital I becomes two characters, because servers
 * convert it differently.
 */
export function foldedSql(text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`translate(lower(replace(${text}, chr(304), 'i' || chr(775)) COLLATE "default"), 'ς', 'σ')`;
}
