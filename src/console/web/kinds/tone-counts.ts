import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { lookOf } from '../look/state.js';
import type { Tone } from '../look/state.js';
import { kindNames } from './kinds.js';
import type { Kind } from './kinds.js';

/** The number of resources by kind and state, in one round trip; with a search, only the matches. */
export const toneCountsQuery = graphql(`
  query ToneCounts($workspace: String!, $search: String) {
    workspace(name: $workspace) {
      id
      agents: agentCounts(by: STATUS, search: $search) {
        value
        count
      }
      sandboxes: sandboxCounts(by: STATUS, search: $search) {
        value
        count
      }
      jobs: jobCounts(by: STATUS, search: $search) {
        value
        count
      }
      volumes: volumeCounts(by: STATUS, search: $search) {
        value
        count
      }
      networks: vpcCounts(by: STATUS, search: $search) {
        value
        count
      }
    }
  }
`);

type Counted = ResultOf<typeof toneCountsQuery>['workspace'];

type ToneCounts = Record<Tone, number>;

/** @returns undefined if any count is missing, because a partial count would be wrong. */
export function toneCountsFrom(counted: Counted | undefined): Record<Kind, ToneCounts> | undefined {
  if (counted == null || kindNames.some((kind) => counted[kind] === null)) return undefined;
  return {
    agents: byTone(counted.agents),
    sandboxes: byTone(counted.sandboxes),
    jobs: byTone(counted.jobs),
    volumes: byTone(counted.volumes),
    networks: byTone(counted.networks),
  };
}

function byTone(states: NonNullable<Counted>['agents']): ToneCounts {
  const counts: ToneCounts = { failed: 0, 'in-progress': 0, stopping: 0, healthy: 0, inactive: 0 };
  for (const { value, count } of states ?? []) if (value !== null) counts[lookOf(value).tone] += count;
  return counts;
}
