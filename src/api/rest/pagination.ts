import { z } from 'zod';

export const paginationMeta = z
  .object({
    hasMore: z.boolean().meta({ description: 'True when more pages exist.' }),
    nextCursor: z.string().meta({ description: 'Opaque; empty when no more pages exist.' }),
    total: z.int().meta({ description: 'Items in the workspace; a search does not narrow it.' }),
  })
  .meta({ id: 'PaginationMeta' });
