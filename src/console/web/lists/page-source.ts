// Loads list pages of any type. Types differ only in the fragment of their rows.
import type { TypedDocumentNode } from '@urql/core';
import { pageClient } from '../api/client.js';
import type { ListFilter } from './active-filters.js';
import { sorts } from './list-search.js';
import type { Sort } from './list-search.js';
import type { FetchPage } from './page-window.js';
import { pageDocument } from './page-document.js';
import type { Listed } from './page-document.js';

export interface ListQuestion {
  workspace: string;
  search: string | undefined;
  sort: Sort;
  filter?: ListFilter | undefined;
}

interface ListPage<Node> {
  page: {
    totalCount: number;
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
  return ({ workspace, search, sort, filter }) =>
    async (request) => {
      const variables = {
        workspace,
        orderBy: sorts[sort].order,
        ...request,
        ...(search === undefined ? {} : { search }),
        ...(filter === undefined ? {} : { filter }),
      };
      const { data, error } = await pageClient.query(document, variables).toPromise();
      if (data?.page == null) throw error ?? new Error('The service did not respond.');
      const { pageInfo, totalCount, filteredCount, nodes = [] } = data.page;
      return { ...pageInfo, count: filteredCount, total: totalCount, rows: nodes.map(rowFrom) };
    };
}
