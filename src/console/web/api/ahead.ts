// Sends the queries of the first view before its script is loaded. The client uses the response if it sends exactly the same
// request; other requests are sent as usual.
import { firstQueries } from 'virtual:first-queries';
import { authorizedFetch, graphqlUrl } from './authorized-fetch.js';

const answers = new Map<string, Promise<Response>>();

/** @param workspace the workspace whose overview is the first view, if it is. */
export function askAhead(workspace: string | undefined): void {
  ask('Viewer');
  if (workspace === undefined) return;
  ask('States', { workspace });
  ask('ToneCounts', { workspace });
}

/** Returns the response of a request that was sent ahead, or sends it. */
export async function fetchOrTake(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const body = typeof init.body === 'string' ? init.body : '';
  const answer = answers.get(body);
  answers.delete(body);
  return answer ?? authorizedFetch(input, init);
}

function ask(operationName: keyof typeof firstQueries, variables?: Record<string, string>): void {
  // In alphabetical order, as the client serializes them.
  const body = JSON.stringify({ operationName, query: firstQueries[operationName], variables });
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' };
  const answer = authorizedFetch(graphqlUrl, { method: 'POST', headers, body });
  // The consumer of the response handles the failure.
  answer.catch(() => {});
  answers.set(body, answer);
}
