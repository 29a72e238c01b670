import { Prisma } from '../../database/client/client.js';
import type { ListOrder } from './page-statement.js';
import type { ColumnOrder } from './list-input.js';

const time = Prisma.sql`timestamptz`;
const text = Prisma.sql`text`;

type OrderedColumn = Omit<ListOrder, 'descending'>;

// The same expressions as in the indexes (see the migrations).
const orderedColumns: Record<ColumnOrder['field'], OrderedColumn> = {
  createdAt: { column: Prisma.sql`r."created_at"`, name: 'created_at', keyType: time, rowsMax: 15_000 },
  updatedAt: { column: Prisma.sql`r."updated_at"`, name: 'updated_at', keyType: time, rowsMax: 5_000 },
  name: { column: Prisma.sql`r."name"`, keyType: text, rowsMax: 5_000 },
  status: { column: Prisma.sql`status_key(r."status") COLLATE "C"`, keyType: text, rowsMax: 5_000 },
  displayName: { column: Prisma.sql`coalesce(r."display_name", '') COLLATE "C"`, keyType: text, rowsMax: 5_000 },
};

/** The order of a list in SQL. */
export function sqlOrder({ field, direction }: ColumnOrder): ListOrder {
  return { ...orderedColumns[field], descending: direction === 'desc' };
}
