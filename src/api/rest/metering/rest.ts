import { z } from 'zod';
import { ApiError, invalidInput, invalidRequest } from '../../../errors.js';
import { noParameters } from '../input.js';
import { route } from '../route.js';
import type { RestRequest, Route } from '../route.js';
import { envelopeFromHeaders } from '../../../metering/cloud-event.js';
import { usageOutcomes } from '../../../metering/usage-result.js';
import type { UsageOutcome, UsageResult } from '../../../metering/usage-result.js';
import { usageEventShape } from '../../../metering/usage-shape.js';
import { recordUsageStream, refusedMax } from '../../../metering/usage-stream.js';
import { recordUsage, usageBatchMax } from '../../../metering/usage.js';

const json = 'application/json';
const cloudEvent = 'application/cloudevents+json';
const cloudEvents = 'application/cloudevents-batch+json';
const lines = ['application/x-ndjson', 'application/ndjson', 'application/jsonl'];

/** Ten thousand events, each twice as long as is usual. */
const bytesMax = 8 * 1024 * 1024;

const envelope = z
  .looseObject({
    specversion: z.literal('1.0'),
    source: z.string(),
    id: z.string(),
    type: z.string().meta({ description: 'Billing dimension, if data has none.' }),
    subject: z.string().optional().meta({ description: 'Name of the resource, if data has none.' }),
    time: z.iso.datetime({ offset: true }),
    data: z.looseObject({}).meta({ description: 'Other fields of a usage event.' }),
  })
  .meta({ id: 'UsageCloudEvent' });

const count = (outcome: UsageOutcome) => z.int().meta({ description: usageOutcomes[outcome] });
const field = z.string().optional().meta({ description: 'Path of the invalid field.' });

const receipt = z
  .object({
    accepted: count('accepted'),
    duplicate: count('duplicate'),
    conflict: count('conflict'),
    invalid: count('invalid'),
    results: z
      .array(
        z.object({
          outcome: z.string(),
          field,
          message: z
            .string()
            .optional()
            .meta({ description: 'Why the event was not accepted. For an invalid event: the field and its rule.' }),
          rounded: z
            .array(z.string())
            .optional()
            .meta({ description: 'Amounts that were materially changed by rounding.' }),
        }),
      )
      .optional()
      .meta({ description: 'Results of a request that is not a stream: one for each event, in order.' }),
    refused: z
      .array(z.object({ line: z.int(), outcome: z.string(), field, message: z.string() }))
      .optional()
      .meta({ description: `Results of a stream: the first ${refusedMax} lines that were rejected.` }),
  })
  .meta({ id: 'UsageReceipt' });

type Receipt = z.output<typeof receipt>;

export const usageRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/usage/events',
    operation: 'RecordUsageEvents',
    summary: 'Records usage events: one, a batch, or a stream of any length.',
    scope: 'usage:write',
    isInWorkspace: false,
    parameters: noParameters,
    query: noParameters,
    requestBody: {
      description:
        `One event, an array of up to ${usageBatchMax} events, or any number of lines with one event each: in JSON, or as a ` +
        'CloudEvent 1.0 in structured mode, in a batch, or in binary mode (ce- headers).',
      bytesMax,
      isGzipTaken: true,
      mediaTypes: [json, cloudEvent, cloudEvents, ...lines],
      content: {
        [json]: z.array(usageEventShape).max(usageBatchMax),
        [cloudEvent]: envelope,
        [cloudEvents]: z.array(envelope).max(usageBatchMax),
        ...Object.fromEntries(lines.map((mediaType) => [mediaType, z.string()])),
      },
    },
    body: receipt,
    example: { accepted: 1, duplicate: 0, conflict: 0, invalid: 0, results: [{ outcome: 'accepted' }] },
    errors: [408, 409, 413, 415],
    answer: async (request) => ({ body: await (lines.includes(request.mediaType) ? ofStream : ofWhole)(request) }),
  }),
];

type Request = Pick<RestRequest<unknown, unknown>, 'ctx' | 'headers' | 'mediaType' | 'json' | 'stream'>;

async function ofStream({ ctx, stream }: Request): Promise<Receipt> {
  const { counts, refused } = await recordUsageStream(ctx, stream);
  return { ...counts, refused };
}

/** A single event is rejected with an error; several events have a result each. */
async function ofWhole({ ctx, headers, mediaType, json: read }: Request): Promise<Receipt> {
  let isOne = false;
  const results = await recordUsage(ctx, async () => {
    const event = await read();
    const bound = envelopeFromHeaders(headers, mediaType, event);
    isOne = bound !== undefined || !Array.isArray(event);
    if (isOne && mediaType === cloudEvents) throw invalidRequest('The body must be an array of CloudEvents.');
    if (!isOne && mediaType === cloudEvent) throw invalidRequest('The body must be one CloudEvent.');
    if (bound !== undefined) return [bound];
    const events: unknown[] = Array.isArray(event) ? event : [event];
    return [cloudEvent, cloudEvents].includes(mediaType) ? events.map(asEnvelope) : events;
  });
  if (isOne) for (const result of results) requireTaken(result);
  const counts = { accepted: 0, duplicate: 0, conflict: 0, invalid: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return {
    ...counts,
    results: results.map(({ rounded, ...result }) =>
      rounded === undefined ? result : { ...result, rounded: [...rounded] },
    ),
  };
}

/** A body with the media type of CloudEvents must be valid CloudEvents. */
function asEnvelope(event: unknown): unknown {
  return typeof event === 'object' && event !== null ? { specversion: undefined, ...event } : event;
}

/** @throws 400 `invalid_input` naming the field and its rule; 409 `conflict`. */
function requireTaken(result: UsageResult): void {
  const { outcome, field: path } = result;
  if (outcome === 'invalid')
    throw invalidInput([{ path: path === undefined ? [] : [path], code: 'invalid_value', message: result.message }]);
  if (outcome === 'conflict') throw new ApiError('conflict', result.message);
}
