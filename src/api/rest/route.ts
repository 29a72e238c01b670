import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Scope } from '../../auth/scopes.js';
import type { ServiceContext } from '../../http/open-context.js';
import type { BodyRules } from '../../http/body.js';
import { readFields } from './input.js';

/** A request from the router. Path parameters are percent-decoded once, query parameters are unchanged. */
export interface RawRequest {
  ctx: ServiceContext;
  parameters: Record<string, string>;
  query: Record<string, string>;
  /** The value of the Accept header. */
  accept: string | undefined;
  /** The API version that applies. */
  version: string;
  headers: IncomingHttpHeaders;
  /** The media type of the Content-Type header, in lower case and without parameters. */
  mediaType: string;
  json: () => Promise<unknown>;
  stream: () => BodyStream;
}

/** A streamed request body. */
export interface BodyStream {
  chunks: AsyncIterable<Buffer>;
  /** Processes a chunk in a turn of this request, which holds no turn between chunks. @throws 503 */
  inTurn: <Result>(act: () => Promise<Result>) => Promise<Result>;
}

export interface RestRequest<Parameters, Query> {
  ctx: ServiceContext;
  parameters: Parameters;
  /** Reads the query string by the route's rules. @throws 400 `invalid_parameter` */
  query: () => Query;
  accept: string | undefined;
  version: string;
  headers: IncomingHttpHeaders;
  /** The media type of the Content-Type header, in lower case and without parameters. */
  mediaType: string;
  /** Reads the body as JSON according to `requestBody`. Can be called once. @throws 400, 413, 415 */
  json: () => Promise<unknown>;
  /** Streams a body of any length, within the account's limit of concurrent streams. @throws 415, 429 */
  stream: () => BodyStream;
}

/** The request body of a route: how it is read, and its schema for each media type. */
export interface RouteBody extends BodyRules {
  description: string;
  content: Readonly<Record<string, z.ZodType>>;
}

/**
 * The response of a route: one JSON value, or its serialized text, or the
 * chunks of a large JSON array, or the chunks of a text of another media type.
 */
export type RestAnswer = (
  | { body: unknown }
  | { text: string }
  | { items: AsyncIterable<unknown[]> }
  | { pieces: AsyncIterable<string>; mediaType: string }
) & {
  /** Default: 200. */
  status?: SuccessStatus;
  headers?: Record<string, string>;
};

export type SuccessStatus = 200 | 201 | 202;

interface RouteDocument {
  method: 'GET' | 'POST' | 'DELETE';
  /** The path below /v0, with parameters in braces. */
  path: string;
  /** The operation id. */
  operation: string;
  /** A summary of one line. */
  summary: string;
  /** The scope that it accepts in addition to `admin`, or `admin`. */
  scope: Scope;
  /** Whether the workspace header selects the workspace. */
  isInWorkspace: boolean;
  /** The request body, if any. */
  requestBody?: RouteBody;
  /** The status of a successful response (default: 200). */
  status?: SuccessStatus;
  /** The schema of a successful response, and an example. */
  body: z.ZodType;
  example: unknown;
  /** Examples of other supported media types, by media type. */
  otherForms?: Readonly<Record<string, string>>;
  /** The response of a list in versions without pagination, which have no query parameters. */
  unpaged?: { body: z.ZodType; example: unknown };
  /** Error statuses in addition to those of every route. */
  errors: (404 | 408 | 409 | 413 | 415)[];
}

/** An entry of the table of routes. */
export interface Route extends RouteDocument {
  parameters: z.ZodObject;
  query: z.ZodObject;
  answer: (request: RawRequest) => Promise<RestAnswer>;
}

/** Returns whether a route supports an Idempotency-Key: changes without a request body. */
export function takesIdempotencyKey({ method, requestBody }: Pick<Route, 'method' | 'requestBody'>): boolean {
  return method !== 'GET' && requestBody === undefined;
}

/** Creates a route, whose `answer` receives parsed parameters. */
export function route<Parameters extends z.ZodObject, Query extends z.ZodObject>(
  definition: RouteDocument & {
    parameters: Parameters;
    query: Query;
    answer: (request: RestRequest<z.output<Parameters>, z.output<Query>>) => Promise<RestAnswer>;
  },
): Route {
  return {
    ...definition,
    answer: ({ ctx, parameters, query, accept, version, headers, mediaType, json, stream }) =>
      definition.answer({
        ctx,
        parameters: readFields(definition.parameters, parameters),
        query: () => readFields(definition.query, query),
        accept,
        version,
        headers,
        mediaType,
        json,
        stream,
      }),
  };
}
