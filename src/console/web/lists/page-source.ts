// Loads list pages of any type. Types differ only in the fragment of their rows.
import type { TypedDocumentNode } from '@urql/core';
import { pageClient } from '../api/client.js';
import { statusesOf } from '../look/state.js';
import type { Tone } from '../look/state.js';
import { sorts } from './list-search.js';
import type { Sort } from './list-search.js';
import type { FetchPage } from './page-window.js';
import { pageDocument } from './page-document.js';
import type { Listed } from './page-document.js';

export interface ListQuestion {
  workspace: string;
  search: string | undefined;
  sort: Sort;
  /** The state group to filter by; all if omitted. */
  tone?: Tone | undefined;
}

interface ListPage<Node> {
  page: {
    filteredCount: number;
    pageInfo: { startCursor: string | null; endCursor: string | null; hasNextPage: boolean };
    nodes?: readonly Node[] | undefined;
  } | null;
}

/** `fragment` selects the fields of each row. Its name must be the type followed by "Row". */
export function pageSource<Node, Row>(
  type: Listed,
  fragment: TypedDocumentNode<Node>,
  rowFrom: (node: Node) => Row,
): (question: ListQuestion) => FetchPage<Row> {
  const document: TypedDocumentNode<ListPage<Node>> = pageDocument(type, fragment);
  return ({ workspace, search, sort, tone }) =>
    async (request) => {
      const variables = {
        workspace,
        orderBy: sorts[sort].order,
        ...request,
        ...(search === undefined ? {} : { search }),
        ...(tone === undefined ? {} : { filter: { status: { in: statusesOf[tone] } } }),
      };
      const { data, error } = await pageClient.query(document, variables).toPromise();
      if (data?.page == null) throw error ?? new Error('The service did not respond.');
      const { pageInfo, filteredCount, nodes = [] } = data.page;
      return { ...pageInfo, count: filteredCount, rows: nodes.map(rowFrom) };
    };
}
