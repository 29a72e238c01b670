import { gql } from '@urql/core';
import type { TypedDocumentNode } from '@urql/core';
import { stateOf, useAnswer } from '../api/use-answer.js';
import type { AnswersState } from '../api/use-answer.js';
import type { ListFilter } from './active-filters.js';
import { countText } from './page-document.js';
import type { Counted } from './page-document.js';

interface CountVariables {
  workspace: string;
  search?: string;
  filter?: ListFilter;
  by: 'STATUS' | 'REGION' | 'GENERATION';
}

type CountDocument = TypedDocumentNode<
  { counts: readonly { value: string | null; count: number }[] | null },
  CountVariables
>;

const documents: Record<Counted, CountDocument> = {
  Agent: gql(countText('Agent')),
  Sandbox: gql(countText('Sandbox')),
  Job: gql(countText('Job')),
  Volume: gql(countText('Volume')),
  Vpc: gql(countText('Vpc')),
};

interface ListCounts {
  /** Undefined until loaded. */
  counts: Map<string, number> | undefined;
  state: AnswersState;
  refresh: () => void;
}

/** The number of matching resources by a property, such as their status. */
export function useListCounts(type: Counted, variables: CountVariables, isPaused = false): ListCounts {
  const asked = useAnswer({ query: documents[type], variables, pause: isPaused });
  const [{ data }, again] = asked;
  const counts = data?.counts?.flatMap(({ value, count }) => (value === null ? [] : [[value, count] as const]));
  return {
    counts: counts && new Map(counts),
    state: stateOf(asked),
    refresh: () => again({ requestPolicy: 'network-only' }),
  };
}
