// Exports account metrics: all groups in one snapshot, read page by page as fast as the client reads.
import { invalidParameter } from '../errors.js';
import { mediaTypeWeight, weightedRanges } from '../input/accept.js';
import { csvCell, rawCell } from './csv.js';
import { csvHead, csvLines } from './csv-lines.js';
import { focusHead, focusLines } from './focus.js';
import type { Bill } from './focus.js';
import type { AskedMetrics } from './metrics-query.js';
import { metricsLimitMax } from './metrics-query.js';
import type { MetricsPart } from './read-part.js';
import { bucketTimes, entriesText } from './report.js';

const csvColumns = 'resourceUuid,resourceName,workspace,resourceType,billingDimension,timestamp,cost,usage';

/** The export formats, with an example each. */
export const exportForms = {
  'text/csv': `${csvColumns}\r\n`,
  'application/x-ndjson': '{"resourceType":"agent","summary":{"cost":2.5},"timeseries":[]}\n',
} as const;

export type ExportForm = keyof typeof exportForms;

const isForm = (word: string): word is ExportForm => Object.hasOwn(exportForms, word);

/**
 * Returns the format that an Accept header names and prefers to JSON; undefined when JSON is at least as good (RFC
 * 9110, section 12.5.1).
 */
export function exportFormOf(accept: string | undefined): ExportForm | undefined {
  const json = mediaTypeWeight(accept, 'application/json');
  const better = weightedRanges(accept ?? '').filter(({ name, weight }) => isForm(name) && weight > json);
  const best = better.toSorted((one, other) => other.weight - one.weight)[0]?.name;
  return best !== undefined && isForm(best) ? best : undefined;
}

/** Export profiles. */
export const exportProfiles = { focus: 'Charges in the columns of FOCUS 1.2, as CSV.' } as const;

export type ExportProfile = keyof typeof exportProfiles;

const isProfile = (word: string): word is ExportProfile => Object.hasOwn(exportProfiles, word);

/** @throws 400 `invalid_parameter` for an unknown profile, and for a format other than CSV. */
export function exportProfileOf(name: string | undefined, form: ExportForm | undefined): ExportProfile | undefined {
  if (name === undefined) return undefined;
  if (!isProfile(name)) throw invalidParameter('profile', `must be one of: ${Object.keys(exportProfiles).join(', ')}`);
  if (form !== 'text/csv') throw invalidParameter('profile', 'is only available for CSV. Send Accept: text/csv');
  return name;
}

/**
 * Parses whether CSV has texts unchanged.
 *
 * @throws 400 `invalid_parameter` for anything but true and false, and for a format other than CSV.
 */
export function isRawExport(text: string | undefined, form: ExportForm | undefined): boolean {
  if (text === undefined) return false;
  if (text !== 'true' && text !== 'false') throw invalidParameter('raw', 'must be true or false');
  if (form !== 'text/csv') throw invalidParameter('raw', 'is only available for CSV. Send Accept: text/csv');
  return text === 'true';
}

/** The maximum number of buckets read at once. Larger texts make Node retain memory. */
const bucketsAtOnce = 2_500;
const groupsAtOnceMax = 400;

/** Formats the lines of a file. */
interface Writer {
  head: (part: MetricsPart) => string;
  lines: (part: MetricsPart, rows: readonly string[]) => string;
  isOfSeries?: boolean;
}

/** How a file is written. */
export interface ExportOptions {
  form: ExportForm;
  /** Whether CSV has texts unchanged, without the guard against formulas. */
  isRaw: boolean;
}

function writerOf({ form, isRaw }: ExportOptions): Writer {
  if (form === 'application/x-ndjson') return { head: () => '', lines: entriesOf };
  const cellOf = isRaw ? rawCell : csvCell;
  return {
    head: ({ query }) => csvHead(query, csvColumns, cellOf),
    lines: ({ query, groups }, rows) => csvLines(query, groups, rows, cellOf),
  };
}

/** Reads one part. @throws for an invalid query. */
type ReadPart = (parse: () => AskedMetrics) => Promise<MetricsPart>;

/**
 * Exports all groups of a query, from its cursor on. The limit is ignored. A CSV line is a group in a bucket with
 * activity; an NDJSON line is a group with all its buckets.
 *
 * @throws the errors of `read`, before the first piece.
 */
export function exportMetrics(
  read: ReadPart,
  parse: () => AskedMetrics,
  options: ExportOptions,
): AsyncGenerator<string> {
  return write(read, parse, writerOf(options));
}

/** Exports charges in the columns of FOCUS. A line is a resource, a billing dimension and a period with activity. */
export async function* exportCharges(
  read: ReadPart,
  parse: () => AskedMetrics,
  { isRaw }: ExportOptions,
  readBill: () => Promise<Bill>,
): AsyncGenerator<string> {
  let bill: Bill | undefined;
  const readBoth: ReadPart = async (question) => {
    const part = await read(question);
    bill ??= await readBill();
    return part;
  };
  const lines = ({ query, groups, fill }: MetricsPart, rows: readonly string[]) => {
    fill(rows);
    return bill === undefined ? '' : focusLines(query, groups, bill, isRaw ? rawCell : csvCell);
  };
  yield* write(readBoth, parse, { head: () => focusHead, lines, isOfSeries: true });
}

async function* write(
  read: ReadPart,
  parse: () => AskedMetrics,
  { head, lines, isOfSeries = false }: Writer,
): AsyncGenerator<string> {
  const readFrom = async (cursor: string | undefined, limit: number) => {
    const part = await read(() => {
      const { paging, ...question } = parse();
      return { ...question, isOfSeries, paging: { ...paging, limit, cursor: cursor ?? paging.cursor } };
    });
    // If the consumer stops reading, nothing awaits this promise.
    part.rows.catch(() => {});
    return part;
  };
  let part = await readFrom(undefined, metricsLimitMax);
  for (let before = head(part); ; before = '') {
    // Find the next groups while the buckets of the current ones are read and written.
    const next = part.nextCursor === undefined ? undefined : readFrom(part.nextCursor, groupsAtOnce(part));
    next?.catch(() => {});
    yield before + lines(part, await part.rows);
    if (next === undefined) return;
    part = await next;
  }
}

/** Returns the number of groups whose buckets stay within the maximum. */
function groupsAtOnce({ query }: MetricsPart): number {
  const groups = Math.floor(bucketsAtOnce / bucketTimes(query).length);
  return Math.max(metricsLimitMax, Math.min(groups, groupsAtOnceMax));
}

function entriesOf({ query, groups, fill }: MetricsPart, rows: readonly string[]): string {
  fill(rows);
  return entriesText({ query, groups })
    .map((entry) => `${entry}\n`)
    .join('');
}
