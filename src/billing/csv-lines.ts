// Formats packed rows of sums as CSV. Numbers stay text, because there are many.
import { costDigits, decimalFromText, usageDigits } from '../metering/amounts.js';
import { keyOrder } from '../metering/dimensions.js';
import type { CellOf } from './csv.js';
import type { MetricsQuery } from './metrics-query.js';
import { eachRow } from './packed-rows.js';
import { bucketOrder, bucketTimes, groupedLabels, hasUsage, isZero, labelsOf, sumOf } from './report.js';
import type { MetricsGroup } from './report.js';

/** A bucket of a group, by its index. Amounts are whole numbers of smallest units. */
interface Line {
  order: number;
  cost: string;
  usage: string;
}

/** Returns the names of the columns. The labels that the query groups by come last. */
export function csvHead(query: MetricsQuery, columns: string, cellOf: CellOf): string {
  return `${[columns, ...groupedLabels(query).map((key) => cellOf(`label:${key}`))].join(',')}\r\n`;
}

/** Formats one line per bucket with activity. @param rows packed rows, as in addRows(). */
export function csvLines(
  query: MetricsQuery,
  groups: readonly MetricsGroup[],
  rows: readonly string[],
  cellOf: CellOf,
): string {
  const times = bucketTimes(query);
  const withUsage = hasUsage(query);
  let text = '';
  const orderIn = bucketOrder(query);
  for (const [index, group] of groups.entries()) {
    const names = keyOrder.map((dimension) => cellOf(group.values[dimension] ?? '')).join(',');
    const labels = labelsOf(query, group).map(({ value }) => `,${cellOf(value ?? '')}`);
    const lines: Line[] = [];
    eachRow(rows[index] ?? '', (level, bucket, cost, usage) => {
      lines.push({ order: orderIn(level, bucket), cost, usage });
    });
    for (const { order, cost, usage } of inOrder(lines)) {
      if (isZero({ cost, usage })) continue;
      const used = withUsage ? decimalFromText(usage, usageDigits) : '';
      text += `${names},${times[order] ?? ''},${decimalFromText(cost, costDigits)},${used}${labels.join('')}\r\n`;
    }
  }
  return text;
}

/** Adds up lines of the same bucket, which can come from several levels. */
function inOrder(lines: Line[]): Line[] {
  if (lines.every(({ order }, index) => index === 0 || order > (lines[index - 1]?.order ?? 0))) return lines;
  const byOrder = new Map<number, Line>();
  for (const line of lines) {
    const { order, cost, usage } = byOrder.get(line.order) ?? { ...line, cost: '0', usage: '0' };
    byOrder.set(order, { order, cost: sumOf(cost, line.cost), usage: sumOf(usage, line.usage) });
  }
  return [...byOrder.values()].toSorted((one, other) => one.order - other.order);
}
