import { z } from 'zod';

export const paginationMeta = z
  .object({
    hasMore: z.boolean().meta({ description: 'True if there are more pages.' }),
    nextCursor: z.string().meta({ description: 'Opaque cursor of the next page. Empty on the last page.' }),
    total: z.int().meta({ description: 'Number of items in the workspace. A search does not reduce it.' }),
  })
  .meta({ id: 'PaginationMeta' });
