import { pageSizeMax } from '../../pagination/page.js';
import type { Position } from '../../pagination/page.js';
import type { ListInput, ListPage, OrderInput } from '../../store/read/list-input.js';

/** All items of a list, page by page. Default order: oldest first. */
export async function listAll<Item extends { position: Position }>(
  list: (input: ListInput) => Promise<ListPage<Item>>,
  orderBy: OrderInput = { field: 'createdAt', direction: 'asc' },
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const fields = { search: 'search', cursor: 'cursor' };
    const page = await list({ orderBy, size: pageSizeMax, direction: 'forward', cursor, fields, version: 'cli' });
    items.push(...page.items);
    const last = page.items.at(-1)?.position ?? page.lastRead;
    cursor = page.hasNext && last !== undefined ? page.cursors.encode(last) : undefined;
  } while (cursor !== undefined);
  return items;
}
