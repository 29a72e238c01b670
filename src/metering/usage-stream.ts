// Records usage from a stream of any length, with backpressure, and returns a summary.
import { authorizeScope } from '../auth/authorize.js';
import { apiErrorFrom } from '../database/failures.js';
import { ApiError, invalidRequest } from '../errors.js';
import { batchItems, FirstItemTimeout } from './batch-items.js';
import type { BatchLimits } from './batch-items.js';
import { jsonLines, UnreadableFile } from './usage-lines.js';
import type { JsonLine } from './usage-lines.js';
import type { UsageOutcome, UsageResult } from './usage-result.js';
import type { Sending } from './usage-chunk.js';
import type { UsageContext } from './usage-memory.js';
import { recordUsage, usageBatchMax } from './usage.js';

/** The maximum number of rejected lines that the summary lists. */
export const refusedMax = 1_000;

const batchLimits: BatchLimits<JsonLine> = {
  size: usageBatchMax,
  weightMax: 16_000_000,
  weigh: ({ length = 0 }) => length,
  idleMs: 200,
  emptyMsMax: 30_000,
};

/** A rejected line, and why. */
export interface RefusedLine {
  line: number;
  outcome: 'conflict' | 'invalid';
  field?: UsageResult['field'];
  message: string;
}

/** The results of all events of a stream. */
export interface UsageSummary {
  counts: Record<UsageOutcome, number>;
  /** The first rejected lines, in order. */
  refused: RefusedLine[];
}

export interface UsageStream {
  /** NDJSON. */
  chunks: AsyncIterable<Buffer>;
  /** Runs an action when the request gets its turn in the queue. */
  inTurn: <Result>(act: () => Promise<Result>) => Promise<Result>;
}

/**
 * Records the events of a stream like recordUsage(), with at most two batches in memory. The caller is authenticated
 * again before each batch. Recorded batches stay recorded if a later one fails. Of a batch that exceeds a quota, the events
 * that fit are recorded.
 *
 * @throws 400 for a body without lines, 408 when no line arrives in time, 429 above the limit of events per minute, 503
 * when the database fails. The message has the last line that was read and the results of the lines up to it, and the lines
 * after it that may have been recorded.
 */
export async function recordUsageStream(ctx: UsageContext, open: () => UsageStream): Promise<UsageSummary> {
  authorizeScope(ctx, 'usage:write');
  const { chunks, inTurn } = open();
  const summary: UsageSummary = { counts: { accepted: 0, duplicate: 0, conflict: 0, invalid: 0 }, refused: [] };
  let lastLine = 0;
  /** The batch of which some events may be recorded, while its results are unknown. */
  let unknown: readonly JsonLine[] = [];
  const record = async (batch: readonly JsonLine[]): Promise<void> => {
    await ctx.renew();
    const sending: Sending = { counting: 'partial', onBegin: () => (unknown = batch) };
    const events = { length: batch.length, at: (index: number) => batch[index]?.event };
    const results = await recordUsage(ctx, events, sending);
    unknown = [];
    const { cut } = sending;
    lastLine = (cut === undefined ? batch.at(-1) : batch[cut.index - 1])?.line ?? lastLine;
    sumUp(summary, batch, results.slice(0, cut?.index));
    if (cut !== undefined) throw cut.refusal;
  };
  let recording = Promise.resolve();
  try {
    for await (const batch of batchItems(jsonLines(chunks), batchLimits)) {
      await recording;
      recording = inTurn(() => record(batch));
      // Awaited before the next batch.
      recording.catch(() => {});
    }
    await recording;
  } catch (error) {
    await recording.catch(() => {});
    throw brokenOff(error, { lastLine, unknown }, summary);
  }
  return summary;
}

function sumUp({ counts, refused }: UsageSummary, batch: readonly JsonLine[], results: readonly UsageResult[]): void {
  for (const [index, result] of results.entries()) {
    const { outcome, field } = result;
    counts[outcome]++;
    const item = batch[index];
    if (outcome === 'accepted' || outcome === 'duplicate' || item === undefined || refused.length === refusedMax)
      continue;
    const { line, problem } = item;
    if (problem === undefined) refused.push({ line, outcome, field, message: result.message });
    else refused.push({ line, outcome, message: problem });
  }
}

/** The maximum number of rejected lines that the message of an error lists. */
const refusedListedMax = 10;

interface Progress {
  /** The last line with a result; 0 for none. */
  lastLine: number;
  unknown: readonly JsonLine[];
}

function brokenOff(error: unknown, { lastLine, unknown }: Progress, { counts, refused }: UsageSummary): ApiError {
  const { error: code, message, field, headers, cause } = failureOf(error);
  const { accepted, duplicate, conflict, invalid } = counts;
  const results = `${accepted} accepted, ${duplicate} duplicate, ${conflict} conflicting, ${invalid} invalid`;
  const listed = refused
    .slice(0, refusedListedMax)
    .map(({ line, outcome, message: reason }) => ` Line ${line} is ${adjectives[outcome]}: ${reason}.`);
  const more = conflict + invalid - listed.length;
  const rejected = `${listed.join('')}${more > 0 ? ` And ${more} more were rejected.` : ''}`;
  const read = lastLine === 0 ? [] : [`Lines 1 to ${lastLine} were read: ${results}.${rejected}`];
  const open =
    unknown.length === 0 ? [] : [`Lines ${unknown[0]?.line} to ${unknown.at(-1)?.line} may have been recorded.`];
  const done =
    read.length + open.length === 0
      ? 'Nothing was recorded.'
      : [...read, ...open, 'You can send them again: duplicates are not counted.'].join(' ');
  return new ApiError(code, `${message} ${done}`, { ...(field === undefined ? {} : { field }), headers, cause });
}

const adjectives = { conflict: 'conflicting', invalid: 'invalid' } as const;

function failureOf(error: unknown): ApiError {
  if (error instanceof UnreadableFile) return invalidRequest(`The body is invalid: ${error.message}.`);
  if (!(error instanceof FirstItemTimeout)) return apiErrorFrom(error);
  return new ApiError('request_timeout', `No event arrived for ${batchLimits.emptyMsMax / 1_000} seconds.`);
}
