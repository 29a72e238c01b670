// Renders a part of the console to HTML without a browser, with results for its queries and addresses for its links.
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { cacheExchange, Client, fetchExchange } from '@urql/core';
import type { DocumentNode } from 'graphql';
import { createElement } from 'react';
import type { ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Provider } from 'urql';

export interface Answered {
  query: DocumentNode;
  variables: Record<string, string>;
  data: object;
}

export async function renderPart(part: ReactElement, answered: readonly Answered[] = []): Promise<string> {
  const answers = answered.map(({ data }) => data);
  const client = new Client({
    url: 'http://localhost/graphql',
    preferGetMethod: false,
    requestPolicy: 'cache-first',
    exchanges: [cacheExchange, fetchExchange],
    fetch: async () => Response.json({ data: answers.shift() }),
  });
  for (const { query, variables } of answered) await client.query(query, variables).toPromise();
  const router = createRouter({
    routeTree: createRootRoute({ component: () => createElement(Provider, { value: client }, part) }),
    history: createMemoryHistory(),
    search: { strict: true },
  });
  await router.load();
  return renderToStaticMarkup(createElement(RouterProvider, { router }));
}

/** The text of HTML as a reader sees it. */
export function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
