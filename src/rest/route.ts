import type { Scope } from '../access/scopes.js';
import type { RequestContext } from '../context.js';
import type { QueryParameters } from './input.js';

export interface RestRequest {
  ctx: RequestContext;
  /** Path parameters, percent-decoded once. */
  parameters: Record<string, string>;
  query: QueryParameters;
  /** The API version that applies. */
  version: string;
}

/** What a route answers: one JSON value, or the chunks of one JSON array too long to hold. */
export type RestAnswer = { body: unknown } | { items: AsyncIterable<unknown[]> };

/** One line of the table of routes. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below /v0, with parameters in braces, as the specification writes it. */
  path: string;
  /** The operation's name in the specification. */
  operation: string;
  /** The scope that it accepts beside `admin`. */
  scope: Scope;
  answer: (request: RestRequest) => Promise<RestAnswer>;
}
