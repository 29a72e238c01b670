import { Prisma } from '../../database/client/client.js';
import type { ListOrder } from './page-statement.js';
import type { ResourceSort } from './list-input.js';

const time = Prisma.sql`timestamptz`;
const text = Prisma.sql`text`;

const byCreation = { column: Prisma.sql`r."created_at"`, name: 'created_at', keyType: time, rowsMax: 15_000 };
const byChange = { column: Prisma.sql`r."updated_at"`, name: 'updated_at', keyType: time, rowsMax: 5_000 };
const byNames = { column: Prisma.sql`r."name"`, keyType: text, rowsMax: 5_000 };
// The same expressions as in the indexes (see the migrations).
const byStatus = { column: Prisma.sql`status_key(r."status") COLLATE "C"`, keyType: text, rowsMax: 5_000 };
const byDisplayName = {
  column: Prisma.sql`coalesce(r."display_name", '') COLLATE "C"`,
  keyType: text,
  rowsMax: 5_000,
};

/** The sort orders of a list in SQL. */
export const listOrders: Record<ResourceSort, ListOrder> = {
  'createdAt:desc': { ...byCreation, descending: true },
  'createdAt:asc': { ...byCreation, descending: false },
  'name:asc': { ...byNames, descending: false },
  'name:desc': { ...byNames, descending: true },
  'updatedAt:desc': { ...byChange, descending: true },
  'updatedAt:asc': { ...byChange, descending: false },
  'status:asc': { ...byStatus, descending: false },
  'status:desc': { ...byStatus, descending: true },
  'displayName:asc': { ...byDisplayName, descending: false },
  'displayName:desc': { ...byDisplayName, descending: true },
};
