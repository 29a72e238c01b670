import { gql } from '@urql/core';
import type { TypedDocumentNode } from '@urql/core';
import { useAnswer } from '../api/use-answer.js';
import type { UseQueryExecute } from 'urql';
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

/** The number of matching resources by a property, such as their status; undefined until loaded. */
export function useListCounts(
  type: Counted,
  variables: CountVariables,
  isPaused = false,
): [Map<string, number> | undefined, UseQueryExecute] {
  const [{ data }, again] = useAnswer({ query: documents[type], variables, pause: isPaused });
  const counts = data?.counts?.flatMap(({ value, count }) => (value === null ? [] : [[value, count] as const]));
  return [counts && new Map(counts), again];
}
