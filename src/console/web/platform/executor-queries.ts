import { rangesIn } from '../access/addresses-field.js';
import { chosenExpiry, expiryInput } from '../access/expiry-field.js';
import type { ChosenExpiry } from '../access/expiry-field.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf, VariablesOf } from '../api/graphql.js';
import { problem } from '../api/refusal.js';

const executorFields = graphql(`
  fragment ExecutorFields on Executor {
    name
    health
    createdAt
    expiresAt
    revokedAt
    keyPrefix
    kinds
    regions
    addressRanges
    lastSeenAt
  }
`);

export const executorsQuery = graphql(
  `
    query Executors($all: Boolean!, $after: String) {
      executors(all: $all, first: 200, after: $after, orderBy: { field: NAME, direction: ASC }) {
        totalCount
        pageInfo {
          hasNextPage
          endCursor
        }
        nodes {
          ...ExecutorFields
        }
      }
    }
  `,
  [executorFields],
);

export const createExecutorMutation = graphql(
  `
    mutation CreateExecutor($input: CreateExecutorInput!) {
      result: createExecutor(input: $input) {
        __typename
        ... on CreateExecutorPayload {
          secret
          executor {
            name
          }
        }
        ...Problem
      }
    }
  `,
  [problem],
);

export const updateExecutorMutation = graphql(
  `
    mutation UpdateExecutor($input: UpdateExecutorInput!) {
      result: updateExecutor(input: $input) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const revokeExecutorMutation = graphql(
  `
    mutation RevokeExecutor($name: String!) {
      result: revokeExecutor(input: { name: $name }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export const deleteExecutorMutation = graphql(
  `
    mutation DeleteExecutor($name: String!) {
      result: deleteExecutor(input: { name: $name }) {
        __typename
        ...Problem
      }
    }
  `,
  [problem],
);

export type Executor = ResultOf<typeof executorFields>;
export type WorkKind = VariablesOf<typeof createExecutorMutation>['input']['kinds'][number];

/** All kinds of work, as a user reads them. */
export const workKinds = [
  { value: 'AGENT', label: 'Agents' },
  { value: 'AGENT_INVOCATION', label: 'Scheduled runs of agents' },
  { value: 'SANDBOX', label: 'Sandboxes' },
  { value: 'SANDBOX_PREVIEW', label: 'Previews' },
  { value: 'JOB', label: 'Jobs' },
  { value: 'JOB_EXECUTION', label: 'Executions' },
  { value: 'VOLUME', label: 'Volumes' },
  { value: 'VPC', label: 'Networks' },
  { value: 'EGRESS_GATEWAY', label: 'Egress gateways' },
  { value: 'EGRESS_IP', label: 'Egress IPs' },
] as const satisfies readonly { value: WorkKind; label: string }[];

/** In the regions of an executor: every region, and resources without one. */
export const everyRegion = '*';

/** Whether an executor serves a region. */
export function serves({ regions, revokedAt }: Executor, region: string): boolean {
  return revokedAt === null && (regions?.some((each) => each === everyRegion || each === region) ?? false);
}

/** The changed fields of a key only, so that changes of other users are not overwritten. */
export function keyChanges(
  before: Pick<Executor, 'expiresAt' | 'addressRanges'>,
  expiry: ChosenExpiry,
  addresses: string,
): { addressRanges?: string[]; expiresAt?: string; neverExpires?: boolean } {
  const addressRanges = rangesIn(addresses);
  return {
    ...(addressRanges.join() === (before.addressRanges ?? []).join() ? {} : { addressRanges }),
    ...(expiry === chosenExpiry(before.expiresAt) ? {} : expiryInput(expiry)),
  };
}
