import { Prisma } from '../database/client/client.js';
import type { ListOrder } from '../database/select-page.js';
import type { ResourceSort } from './resource-kind.js';

const byCreation = { column: Prisma.sql`r."created_at"`, keyType: Prisma.sql`timestamptz`, walkRowsMax: 15_000 };
const byNames = { column: Prisma.sql`r."name"`, keyType: Prisma.sql`text`, walkRowsMax: 5_000 };

/** The orders of a list, as the database sorts it. */
export const listOrders: Record<ResourceSort, ListOrder> = {
  'createdAt:desc': { ...byCreation, descending: true },
  'createdAt:asc': { ...byCreation, descending: false },
  'name:asc': { ...byNames, descending: false },
  'name:desc': { ...byNames, descending: true },
};
