import type { CombinedError, TypedDocumentNode } from '@urql/core';
import { useEffect, useState } from 'react';
import { pageClient } from './client.js';
import { useRetry } from './use-refresh.js';

interface Page<Node> {
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  nodes: readonly Node[];
}

/** How the pages after the first one are read. */
interface NextPages<Data, Variables, Node> {
  /** Takes the cursor as the variable `after`. */
  query: TypedDocumentNode<Data, Variables>;
  variables: Variables;
  pageOf: (data: Data) => Page<Node> | null | undefined;
}

export interface AllNodes<Node> {
  /** The nodes of all pages. Until they are read, those of the first page, or all nodes as they were before. */
  nodes: readonly Node[];
  /** Whether all pages that the view needs were read. */
  isComplete: boolean;
  /** Why a page could not be read, after which the nodes end. */
  error: CombinedError | undefined;
  /** Reads the pages again after an error. */
  onRetry: () => void;
}

/**
 * The nodes of a list that a view counts, filters or compares as a whole. The pages after the first one are read one after
 * another. A page that cannot be read ends the list with an error, which the view shows with `FurtherPages`.
 *
 * @param isEnough whether the view needs no further page
 */
export function useAllNodes<Data, Variables extends object, Node>(
  first: Page<Node>,
  next: NextPages<Data, Variables, Node>,
  isEnough?: (nodes: readonly Node[]) => boolean,
): AllNodes<Node>;
export function useAllNodes<Data, Variables extends object, Node>(
  first: Page<Node> | null | undefined,
  next: NextPages<Data, Variables, Node>,
  isEnough?: (nodes: readonly Node[]) => boolean,
): AllNodes<Node> | undefined;
export function useAllNodes<Data, Variables extends object, Node>(
  first: Page<Node> | null | undefined,
  { query, variables, pageOf }: NextPages<Data, Variables, Node>,
  isEnough: (nodes: readonly Node[]) => boolean = never,
): AllNodes<Node> | undefined {
  const [read, setRead] = useState<ReadNodes<Node> & { first: Page<Node>; of: string; attempt: number }>();
  const [attempt, setAttempt] = useState(0);
  const list = JSON.stringify(variables);
  useEffect(() => {
    if (first?.pageInfo.hasNextPage !== true) return undefined;
    const stop = new AbortController();
    const readAll = async () => {
      const all = await readAllNodes(first, { query, variables, pageOf }, stop.signal, isEnough);
      if (!stop.signal.aborted) setRead({ ...all, first, of: list, attempt });
    };
    void readAll();
    return () => stop.abort();
    // The text of the variables says all that they do.
  }, [first, query, list, isEnough, attempt]);
  const onRetry = () => setAttempt(attempt + 1);
  const lastError = read?.of === list ? read.error : undefined;
  useRetry(first?.pageInfo.hasNextPage === true ? lastError : undefined, false, onRetry);
  if (first == null) return undefined;
  if (!first.pageInfo.hasNextPage) return { nodes: first.nodes, isComplete: true, error: undefined, onRetry };
  if (read?.of !== list) return { nodes: first.nodes, isComplete: false, error: undefined, onRetry };
  const hasEnded = read.first === first && read.attempt === attempt;
  const error = hasEnded ? read.error : undefined;
  return { nodes: read.nodes, isComplete: hasEnded && error === undefined, error, onRetry };
}

interface ReadNodes<Node> {
  nodes: Node[];
  error: CombinedError | undefined;
}

/**
 * Reads the pages after the first one, until the signal aborts.
 *
 * @returns the nodes of all pages; after an error, those of the pages before it.
 */
export async function readAllNodes<Data, Variables extends object, Node>(
  first: Page<Node>,
  { query, variables, pageOf }: NextPages<Data, Variables, Node>,
  signal: AbortSignal,
  isEnough: (nodes: readonly Node[]) => boolean = never,
): Promise<ReadNodes<Node>> {
  const nodes = [...first.nodes];
  let after = first.pageInfo.hasNextPage ? first.pageInfo.endCursor : null;
  while (after !== null && !signal.aborted && !isEnough(nodes)) {
    const { data, error } = await pageClient.query(query, { ...variables, after }).toPromise();
    const page = data && pageOf(data);
    if (page == null) return { nodes, error };
    nodes.push(...page.nodes);
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  }
  return { nodes, error: undefined };
}

const never = () => false;
