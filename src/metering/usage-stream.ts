// Usage in a stream of any length: read no faster than it is recorded, and summed up at its end.
import { authorizeReach } from '../auth/authorize.js';
import type { RequestContext } from '../auth/context.js';
import { ApiError, invalidRequest } from '../errors.js';
import { gather, NothingCame } from './gather.js';
import type { Gathering } from './gather.js';
import { jsonLines, UnreadableFile } from './usage-lines.js';
import type { JsonLine } from './usage-lines.js';
import type { UsageOutcome, UsageResult } from './usage-result.js';
import { recordUsage, usageBatchMax } from './usage.js';

/** So many lines that were not taken are told one by one. */
export const refusedMax = 1_000;

const gathering: Gathering<JsonLine> = {
  size: usageBatchMax,
  weightMax: 16_000_000,
  weigh: ({ length = 0 }) => length,
  idleMs: 200,
  emptyMsMax: 30_000,
};

/** A line that was not taken, and why. */
export interface RefusedLine {
  line: number;
  outcome: 'conflict' | 'invalid';
  field?: UsageResult['field'];
  message: string;
}

/** What became of all events of a stream. */
export interface UsageSummary {
  counts: Record<UsageOutcome, number>;
  /** The first of those that were not taken, in their order. */
  refused: RefusedLine[];
}

export interface UsageStream {
  /** NDJSON. */
  chunks: AsyncIterable<Buffer>;
  /** Does something when it is this request's turn. */
  inTurn: <Result>(act: () => Promise<Result>) => Promise<Result>;
}

/**
 * Records the events of a stream as recordUsage() does, and holds no more of them than two batches. Who is calling is
 * found out again before each batch. What was recorded stays so, whatever happens to the rest.
 *
 * @throws 400 for what has no lines, 408 for a line that does not end, 429 for more events than a minute's; the message
 *   says up to which line events were recorded.
 */
export async function recordUsageStream(ctx: RequestContext, open: () => UsageStream): Promise<UsageSummary> {
  authorizeReach(ctx, 'usage:write');
  const { chunks, inTurn } = open();
  const summary: UsageSummary = { counts: { accepted: 0, duplicate: 0, conflict: 0, invalid: 0 }, refused: [] };
  let lastLine = 0;
  const record = async (batch: readonly JsonLine[]): Promise<void> => {
    await ctx.renew();
    const results = await recordUsage(ctx, { length: batch.length, at: (index) => batch[index]?.event });
    sumUp(summary, batch, results);
    lastLine = batch.at(-1)?.line ?? lastLine;
  };
  let recording = Promise.resolve();
  try {
    for await (const batch of gather(jsonLines(chunks), gathering)) {
      await recording;
      recording = inTurn(() => record(batch));
      // It is waited for when the next one is there.
      recording.catch(() => {});
    }
    await recording;
  } catch (error) {
    await recording.catch(() => {});
    throw brokenOff(error, lastLine);
  }
  return summary;
}

function sumUp({ counts, refused }: UsageSummary, batch: readonly JsonLine[], results: readonly UsageResult[]): void {
  for (const [place, { outcome, field, message }] of results.entries()) {
    counts[outcome]++;
    const given = batch[place];
    if (outcome === 'accepted' || outcome === 'duplicate' || given === undefined || refused.length === refusedMax)
      continue;
    const { line, problem } = given;
    if (problem === undefined) refused.push({ line, outcome, field, message: message ?? otherEvent });
    else refused.push({ line, outcome, message: problem });
  }
}

/** What is said of a conflict. */
export const otherEvent = 'another event has the same source and id';

function brokenOff(error: unknown, lastLine: number): unknown {
  const failure = failureOf(error);
  if (!(failure instanceof ApiError)) return failure;
  const { error: code, message, field, headers, cause } = failure;
  const done =
    lastLine === 0
      ? 'Nothing was recorded.'
      : `Lines 1 to ${lastLine} were recorded; sending them again counts nothing twice.`;
  return new ApiError(code, `${message} ${done}`, { ...(field === undefined ? {} : { field }), headers, cause });
}

function failureOf(error: unknown): unknown {
  if (error instanceof UnreadableFile) return invalidRequest(`The body cannot be read: ${error.message}.`);
  if (!(error instanceof NothingCame)) return error;
  return new ApiError('request_timeout', `No event came for ${gathering.emptyMsMax / 1_000} seconds.`);
}
