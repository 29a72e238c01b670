// Sums by bucket packed into a text: "level,bucket,cost,usage;…". To read 100 groups of 744 hours takes 82 ms this way, 151 ms
// as rows, and 198 ms as nested JSON.
import { Prisma } from '../database/client/client.js';

/** SQL that packs the rows of a group. */
export const packedRows = Prisma.sql`string_agg(concat_ws(',', "level", "bucket", "cost", "usage"), ';')`;

/** Calls back for each packed row. Amounts are whole numbers as text. */
export function eachRow(
  rows: string,
  take: (level: number, bucket: number, cost: string, usage: string) => void,
): void {
  for (let level = 0; level < rows.length;) {
    const bucket = rows.indexOf(',', level) + 1;
    const cost = rows.indexOf(',', bucket) + 1;
    const usage = rows.indexOf(',', cost) + 1;
    const next = rows.indexOf(';', usage);
    const end = next === -1 ? rows.length : next;
    take(
      Number(rows.slice(level, bucket - 1)),
      Number(rows.slice(bucket, cost - 1)),
      rows.slice(cost, usage - 1),
      rows.slice(usage, end),
    );
    level = end + 1;
  }
}
