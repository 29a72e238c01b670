import type { z } from 'zod';
import type { Scope } from '../access/scopes.js';
import type { RequestContext } from '../context.js';
import { readFields } from './input.js';

/** A request as the router hands it on: path parameters percent-decoded once, query parameters as they came. */
export interface RawRequest {
  ctx: RequestContext;
  parameters: Record<string, string>;
  query: Record<string, string>;
  /** The API version that applies. */
  version: string;
}

export interface RestRequest<Parameters, Query> {
  ctx: RequestContext;
  parameters: Parameters;
  /** Reads the query string by the route's rules. @throws 400 `invalid_parameter` */
  query: () => Query;
  version: string;
}

/**
 * What a route answers: one JSON value, or its text where that is written straight from what was read, or the
 * chunks of one JSON array too long to hold.
 */
export type RestAnswer = { body: unknown } | { text: string } | { items: AsyncIterable<unknown[]> };

interface RouteDocument {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below /v0, with parameters in braces, as the specification writes it. */
  path: string;
  /** The operation's name. */
  operation: string;
  /** What it does, in a line. */
  summary: string;
  /** The scope that it accepts beside `admin`; `admin` when there is none. */
  scope: Scope;
  /** Whether the workspace header says where it looks. */
  isInWorkspace: boolean;
  /** What is answered with 200, and an example of it. */
  body: z.ZodType;
  example: unknown;
  /** Statuses that it can answer beside those of every route. */
  errors: (404 | 409)[];
}

/** One line of the table of routes. */
export interface Route extends RouteDocument {
  parameters: z.ZodObject;
  query: z.ZodObject;
  answer: (request: RawRequest) => Promise<RestAnswer>;
}

/** Makes a line of the table, whose answer gets its parameters already read by their schemas. */
export function route<Parameters extends z.ZodObject, Query extends z.ZodObject>(
  definition: RouteDocument & {
    parameters: Parameters;
    query: Query;
    answer: (request: RestRequest<z.output<Parameters>, z.output<Query>>) => Promise<RestAnswer>;
  },
): Route {
  return {
    ...definition,
    answer: ({ ctx, parameters, query, version }) =>
      definition.answer({
        ctx,
        parameters: readFields(definition.parameters, parameters),
        query: () => readFields(definition.query, query),
        version,
      }),
  };
}
