// Account metrics as files: every group, of one moment, read page by page as fast as the client takes them.
import type { RequestContext } from '../access/context.js';
import { keyOrder } from '../usage/dimensions.js';
import type { AskedMetrics } from './metrics-query.js';
import { metricsLimitMax } from './metrics-query.js';
import { getMetrics } from './metrics.js';
import type { MetricsPage } from './metrics.js';
import { bucketTimes, costText, entriesText, hasUsage, usageText } from './report.js';

/** The forms beside JSON, with an example of each. */
export const exportForms = {
  'text/csv': 'resourceUuid,resourceName,workspace,resourceType,billingDimension,timestamp,cost,usage\r\n',
  'application/x-ndjson': '{"resourceType":"agent","summary":{"cost":2.5},"timeseries":[]}\n',
} as const;

export type ExportForm = keyof typeof exportForms;

const isForm = (word: string): word is ExportForm => Object.hasOwn(exportForms, word);

/** The form that an Accept header prefers to JSON; undefined where JSON is as good (RFC 9110, section 12.5.1). */
export function exportFormOf(accept: string | undefined): ExportForm | undefined {
  const ranges = (accept ?? '').split(',').map((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((each) => each.startsWith('q='))?.slice(2);
    return { name, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
  const isJson = (name: string) => ['application/json', 'application/*', '*/*'].includes(name);
  const json = Math.max(0, ...ranges.filter(({ name }) => isJson(name)).map(({ quality }) => quality));
  const better = ranges.filter(({ name, quality }) => isForm(name) && quality > json);
  const best = better.toSorted((one, other) => other.quality - one.quality)[0]?.name;
  return best !== undefined && isForm(best) ? best : undefined;
}

/**
 * All groups of a question, from its cursor on if it has one; its limit is not looked at. In CSV a line is a group in a
 * bucket with activity, in NDJSON a group with all of its buckets.
 *
 * @throws what getMetrics throws, before the first piece.
 */
export async function* exportMetrics(
  ctx: RequestContext,
  accountId: string,
  asked: () => AskedMetrics,
  form: ExportForm,
): AsyncGenerator<string> {
  let cursor: string | undefined;
  let head = form === 'text/csv' ? exportForms[form] : '';
  for (;;) {
    const next = cursor;
    const page = await getMetrics(ctx, accountId, () => {
      const { paging, ...question } = asked();
      return { ...question, paging: { ...paging, limit: metricsLimitMax, cursor: next ?? paging.cursor } };
    });
    yield (
      head +
      (form === 'text/csv'
        ? linesOf(page)
        : entriesText(page)
            .map((entry) => `${entry}\n`)
            .join(''))
    );
    if (!page.hasMore) return;
    cursor = page.nextCursor;
    head = '';
  }
}

function linesOf({ query, groups }: MetricsPage): string {
  const times = bucketTimes(query);
  const withUsage = hasUsage(query);
  const lines = groups.flatMap(({ values, buckets }) => {
    const names = keyOrder.map((dimension) => cell(values[dimension] ?? '')).join(',');
    const inOrder = Array.from(buckets).toSorted(([one], [other]) => one - other);
    return inOrder.map(
      ([order, amounts]) =>
        `${names},${times[order] ?? ''},${costText(amounts)},${withUsage ? usageText(amounts) : ''}\r\n`,
    );
  });
  return lines.join('');
}

/** RFC 4180. */
function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
