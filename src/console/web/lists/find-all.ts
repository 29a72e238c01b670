import type { ListRow } from './list-rows.js';
import { pageSize } from './page-window.js';
import type { FetchPage, PageRequest } from './page-window.js';

/** The limit of a bulk action. */
export const chosenMax = 1_000;

/** Loads the rows of a list page by page, up to the limit of a bulk action. */
export async function findAll(fetchPage: FetchPage<ListRow>): Promise<ListRow[]> {
  const found: ListRow[] = [];
  let after: string | null = null;
  do {
    const request: PageRequest = { first: pageSize, isSkipped: false, ...(after === null ? {} : { after }) };
    const page = await fetchPage(request);
    found.push(...page.rows);
    after = page.hasNextPage ? page.endCursor : null;
  } while (after !== null && found.length < chosenMax);
  return found.slice(0, chosenMax);
}
