import { useEffect, useState } from 'react';

interface Page<Node> {
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  nodes: readonly Node[];
}

interface AllNodes<Node> {
  /** The nodes of all pages. Until they are read, those of the first page, or all nodes as they were before. */
  nodes: readonly Node[];
  /** Whether reading has ended. */
  isComplete: boolean;
}

/**
 * The nodes of a list that a view counts or compares as a whole. The pages after the first one are read one after another; a
 * page that cannot be read ends the list, which then has fewer nodes than its count says.
 *
 * @param readNext reads the page after a cursor; another function is for another list
 * @param isEnough whether the view needs no further page
 */
export function useAllNodes<Node>(
  first: Page<Node> | undefined,
  readNext: (after: string) => Promise<Page<Node> | undefined>,
  isEnough: (nodes: readonly Node[]) => boolean = never,
): AllNodes<Node> | undefined {
  const [read, setRead] = useState<{ first: Page<Node>; by: typeof readNext; nodes: readonly Node[] }>();
  useEffect(() => {
    if (first?.pageInfo.hasNextPage !== true) return undefined;
    const stop = new AbortController();
    const readAll = async () => {
      const nodes = [...first.nodes];
      let after = first.pageInfo.endCursor;
      while (after !== null && !stop.signal.aborted && !isEnough(nodes)) {
        const page = await readNext(after);
        nodes.push(...(page?.nodes ?? []));
        after = page?.pageInfo.hasNextPage === true ? page.pageInfo.endCursor : null;
      }
      if (!stop.signal.aborted) setRead({ first, by: readNext, nodes });
    };
    void readAll();
    return () => stop.abort();
  }, [first, readNext, isEnough]);
  if (first === undefined) return undefined;
  if (!first.pageInfo.hasNextPage) return { nodes: first.nodes, isComplete: true };
  if (read?.by !== readNext) return { nodes: first.nodes, isComplete: false };
  return { nodes: read.nodes, isComplete: read.first === first };
}

const never = () => false;
