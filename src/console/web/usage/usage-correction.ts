// Corrections of usage events: voiding and amending, with a dry run.
import { client } from '../api/client.js';
import { problemOf } from '../api/failure.js';
import { graphql } from '../api/graphql.js';
import { requestRefresh } from '../api/refresh.js';
import { problem } from '../api/refusal.js';
import type { UsageEventFilter } from './usage-query.js';

const voidMutation = graphql(
  `
    mutation VoidUsage($input: VoidUsageInput!) {
      result: voidUsage(input: $input) {
        __typename
        ... on VoidUsagePayload {
          count
          costBefore
          costAfter
        }
        ...Problem
      }
    }
  `,
  [problem],
);

const amendMutation = graphql(
  `
    mutation AmendUsage($input: AmendUsageInput!) {
      result: amendUsage(input: $input) {
        __typename
        ... on AmendUsagePayload {
          count
          costBefore
          costAfter
        }
        ...Problem
      }
    }
  `,
  [problem],
);

export interface UsageCorrection {
  account: string;
  /** The events to correct. */
  filter: UsageEventFilter;
  /** The new values of all events, as typed; undefined to void them. */
  change: Readonly<Record<string, string>> | undefined;
  reason: string;
}

export interface CorrectionResult {
  count: number;
  costBefore: string;
  costAfter: string;
}

/**
 * Voids or amends usage events.
 *
 * @returns the number of changed events and their costs, or the error message. With `validateOnly` nothing is saved.
 */
export async function correctUsage(
  { change, ...rest }: UsageCorrection,
  validateOnly: boolean,
): Promise<CorrectionResult | string> {
  const input = { ...rest, validateOnly };
  const { data, error } =
    change === undefined
      ? await client.mutation(voidMutation, { input }).toPromise()
      : await client.mutation(amendMutation, { input: { ...input, change } }).toPromise();
  const result = data?.result;
  if (result === undefined || !('count' in result)) return problemOf(result, error);
  if (!validateOnly) requestRefresh();
  return result;
}
