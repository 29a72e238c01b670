// What the first view asks, asked before its script has come. The client finds the answer when it sends the same, to the
// letter; what it does not find it asks for as ever.
import { firstQuestions } from 'virtual:first-questions';
import { authorizedFetch, graphqlUrl } from './authorized-fetch.js';

const answers = new Map<string, Promise<Response>>();

/** @param workspace whose overview is shown first, if it is one. */
export function askAhead(workspace: string | undefined): void {
  ask('Viewer');
  if (workspace === undefined) return;
  ask('States', { workspace });
  ask('ToneCounts', { workspace });
}

/** Answers a request once by what was asked ahead, else asks. */
export async function fetchOrTake(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const body = typeof init.body === 'string' ? init.body : '';
  const answer = answers.get(body);
  answers.delete(body);
  return answer ?? authorizedFetch(input, init);
}

function ask(operationName: keyof typeof firstQuestions, variables?: Record<string, string>): void {
  // In the order of their names, as the client writes them.
  const body = JSON.stringify({ operationName, query: firstQuestions[operationName], variables });
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json, application/json' };
  const answer = authorizedFetch(graphqlUrl, { method: 'POST', headers, body });
  // Whoever takes it is told of a failure.
  answer.catch(() => {});
  answers.set(body, answer);
}
