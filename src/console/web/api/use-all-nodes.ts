import type { TypedDocumentNode } from '@urql/core';
import { useEffect, useState } from 'react';
import { pageClient } from './client.js';

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

interface AllNodes<Node> {
  /** The nodes of all pages. Until they are read, those of the first page, or all nodes as they were before. */
  nodes: readonly Node[];
  /** Whether reading has ended. */
  isComplete: boolean;
}

/**
 * The nodes of a list that a view counts, filters or compares as a whole. The pages after the first one are read one after
 * another; a page that cannot be read ends the list, which then has fewer nodes than its count says.
 *
 * @param isEnough whether the view needs no further page
 */
export function useAllNodes<Data, Variables extends object, Node>(
  first: Page<Node> | null | undefined,
  { query, variables, pageOf }: NextPages<Data, Variables, Node>,
  isEnough: (nodes: readonly Node[]) => boolean = never,
): AllNodes<Node> | undefined {
  const [read, setRead] = useState<{ first: Page<Node>; of: string; nodes: readonly Node[] }>();
  const list = JSON.stringify(variables);
  useEffect(() => {
    if (first?.pageInfo.hasNextPage !== true) return undefined;
    const stop = new AbortController();
    const readAll = async () => {
      const nodes = await readAllNodes(first, { query, variables, pageOf }, stop.signal, isEnough);
      if (!stop.signal.aborted) setRead({ first, of: list, nodes });
    };
    void readAll();
    return () => stop.abort();
    // The text of the variables says all that they do.
  }, [first, query, list, isEnough]);
  if (first == null) return undefined;
  if (!first.pageInfo.hasNextPage) return { nodes: first.nodes, isComplete: true };
  if (read?.of !== list) return { nodes: first.nodes, isComplete: false };
  return { nodes: read.nodes, isComplete: read.first === first };
}

/** Reads the pages after the first one, until the signal aborts. @returns the nodes of all pages. */
export async function readAllNodes<Data, Variables extends object, Node>(
  first: Page<Node>,
  { query, variables, pageOf }: NextPages<Data, Variables, Node>,
  signal: AbortSignal,
  isEnough: (nodes: readonly Node[]) => boolean = never,
): Promise<Node[]> {
  const nodes = [...first.nodes];
  let after = first.pageInfo.hasNextPage ? first.pageInfo.endCursor : null;
  while (after !== null && !signal.aborted && !isEnough(nodes)) {
    const { data } = await pageClient.query(query, { ...variables, after }).toPromise();
    const page = data && pageOf(data);
    nodes.push(...(page?.nodes ?? []));
    after = page?.pageInfo.hasNextPage === true ? page.pageInfo.endCursor : null;
  }
  return nodes;
}

const never = () => false;
