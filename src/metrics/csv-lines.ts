// Lines of CSV from packed rows of sums. There are many of them: numbers stay the texts that they come as.
import { costDigits, decimalFromText, usageDigits } from '../usage/amounts.js';
import { keyOrder } from '../usage/dimensions.js';
import { csvCell } from './csv.js';
import type { MetricsQuery } from './metrics-query.js';
import { bucketOrder, bucketTimes, hasUsage } from './report.js';
import type { MetricsGroup } from './report.js';

/** A bucket of a group, by its order from the first. Amounts are whole numbers of smallest units. */
interface Line {
  order: number;
  cost: string;
  usage: string;
}

/** A line for each bucket with activity. @param rows as addRows takes them. */
export function csvLines(query: MetricsQuery, groups: readonly MetricsGroup[], rows: string): string {
  const times = bucketTimes(query);
  const withUsage = hasUsage(query);
  let text = '';
  for (const [place, lines] of linesOfGroups(query, groups.length, rows).entries()) {
    const values = groups[place]?.values;
    const names = keyOrder.map((dimension) => csvCell(values?.[dimension] ?? '')).join(',');
    for (const { order, cost, usage } of inOrder(lines)) {
      const used = withUsage ? decimalFromText(usage, usageDigits) : '';
      text += `${names},${times[order] ?? ''},${decimalFromText(cost, costDigits)},${used}\r\n`;
    }
  }
  return text;
}

function linesOfGroups(query: MetricsQuery, groups: number, rows: string): Line[][] {
  const orderIn = bucketOrder(query);
  const found = Array.from({ length: groups }, (): Line[] => []);
  for (let from = 0; from < rows.length;) {
    const level = rows.indexOf(',', from) + 1;
    const bucket = rows.indexOf(',', level) + 1;
    const cost = rows.indexOf(',', bucket) + 1;
    const usage = rows.indexOf(',', cost) + 1;
    const next = rows.indexOf(';', usage);
    const end = next === -1 ? rows.length : next;
    found[Number(rows.slice(from, level - 1)) - 1]?.push({
      order: orderIn(Number(rows.slice(level, bucket - 1)), Number(rows.slice(bucket, cost - 1))),
      cost: rows.slice(cost, usage - 1),
      usage: rows.slice(usage, end),
    });
    from = end + 1;
  }
  return found;
}

/** Each bucket once: what came from several levels is added up. */
function inOrder(lines: Line[]): Line[] {
  if (lines.every(({ order }, place) => place === 0 || order > (lines[place - 1]?.order ?? 0))) return lines;
  const byOrder = new Map<number, Line>();
  for (const line of lines) {
    const { order, cost, usage } = byOrder.get(line.order) ?? { ...line, cost: '0', usage: '0' };
    byOrder.set(order, { order, cost: sum(cost, line.cost), usage: sum(usage, line.usage) });
  }
  return [...byOrder.values()].toSorted((one, other) => one.order - other.order);
}

function sum(one: string, other: string): string {
  return (BigInt(one) + BigInt(other)).toString();
}
