import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Scope } from '../../auth/scopes.js';
import type { RequestContext } from '../../auth/context.js';
import type { BodyRules } from '../../http/body.js';
import { readFields } from './input.js';

/** A request as the router hands it on: path parameters percent-decoded once, query parameters as they came. */
export interface RawRequest {
  ctx: RequestContext;
  parameters: Record<string, string>;
  query: Record<string, string>;
  /** The media types that the client prefers, as its header says them. */
  accept: string | undefined;
  /** The API version that applies. */
  version: string;
  headers: IncomingHttpHeaders;
  /** The media type that the body is said to have, lower case and without parameters. */
  mediaType: string;
  json: () => Promise<unknown>;
  stream: () => BodyStream;
}

/** A body that is read as it comes. */
export interface BodyStream {
  chunks: AsyncIterable<Buffer>;
  /** Works on a part of it when it is this request's turn: between them it takes nobody's. @throws 503 */
  inTurn: <Result>(act: () => Promise<Result>) => Promise<Result>;
}

export interface RestRequest<Parameters, Query> {
  ctx: RequestContext;
  parameters: Parameters;
  /** Reads the query string by the route's rules. @throws 400 `invalid_parameter` */
  query: () => Query;
  accept: string | undefined;
  version: string;
  headers: IncomingHttpHeaders;
  /** The media type that the body is said to have, lower case and without parameters. */
  mediaType: string;
  /** Reads the body by the route's `requestBody`, once: as JSON. @throws 400, 413, 415 */
  json: () => Promise<unknown>;
  /** Reads it as it comes instead, however long it is, in one of its account's places for streams. @throws 415, 429 */
  stream: () => BodyStream;
}

/** What a route takes: how a body is read, and what is in one of each of its media types. */
export interface RouteBody extends BodyRules {
  description: string;
  content: Readonly<Record<string, z.ZodType>>;
}

/**
 * What a route answers: one JSON value, or its text where that is written straight from what was read, or the
 * chunks of one JSON array too long to hold, or the pieces of a text of another media type.
 */
export type RestAnswer = (
  | { body: unknown }
  | { text: string }
  | { items: AsyncIterable<unknown[]> }
  | { pieces: AsyncIterable<string>; mediaType: string }
) & {
  /** 200 when it is left out. */
  status?: SuccessStatus;
  headers?: Record<string, string>;
};

export type SuccessStatus = 200 | 201 | 202;

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
  /** What it takes, if it takes anything. */
  requestBody?: RouteBody;
  /** The status of success: 200 when it is left out. */
  status?: SuccessStatus;
  /** What is answered then, and an example of it. */
  body: z.ZodType;
  example: unknown;
  /** What else it can be answered as, when the client prefers that: examples by media type. */
  otherForms?: Readonly<Record<string, string>>;
  /** The same of a list in the versions before lists had pages, which take no query. */
  unpaged?: { body: z.ZodType; example: unknown };
  /** Statuses that it can answer beside those of every route. */
  errors: (404 | 408 | 409 | 413 | 415)[];
}

/** One line of the table of routes. */
export interface Route extends RouteDocument {
  parameters: z.ZodObject;
  query: z.ZodObject;
  answer: (request: RawRequest) => Promise<RestAnswer>;
}

/** Whether it takes an Idempotency-Key: what changes something, and whose address says all that is asked. */
export function takesIdempotencyKey({ method, requestBody }: Pick<Route, 'method' | 'requestBody'>): boolean {
  return method !== 'GET' && requestBody === undefined;
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
