// What a process tells a collector of traces about its work: each request, the operation in it, its statements. Names,
// ids, numbers and the text of statements; never a credential, and nothing of a body, a variable or a value.

export interface TraceSettings {
  /** Where the collector is, without the path of traces; without it there are none. */
  endpoint: string | undefined;
  /** Which share of the traces that begin here is sent, from 0 to 1. */
  ratio: number;
  serviceName: string;
  version: string;
  /** How long the collector has for one batch of spans, further tries included. */
  sendMsMax?: number;
}

/** A request as it comes in. */
export interface TracedRequest {
  /** As it was sent: it may belong to a trace already. */
  headers: Record<string, string | string[] | undefined>;
  method: string;
  requestId: string;
}

/** What is known of a request when it is over. */
export interface TracedAnswer {
  door: string;
  operation: string;
  /** The address that was found, with parameters in braces, and what was sent for it; absent where nothing was found. */
  address?: { route: string; path: string } | undefined;
  status: number;
  account?: string | undefined;
  cost?: number | undefined;
  /** The code of what went wrong. */
  error?: string | undefined;
}

/** The part of a request in a trace. */
export interface RequestTrace {
  traceId: string;
  /** What tells others of it (W3C Trace Context, section 3.2). */
  traceparent: string;
  /** What runs in it, and whatever that begins, belongs to it. */
  run: (act: () => void) => void;
  end: (answer: TracedAnswer) => void;
}

export interface TracedOperation {
  type: string;
  /** The name that a document gives it. */
  name: string | undefined;
  cost: number;
}

export interface TracedStatement {
  /** As it was sent; values are no part of it. */
  sql: string;
  /** Since when, by performance.now(). */
  startedMs: number;
  seconds: number;
}

export interface Traces {
  /** Begins with a request; undefined for one that is not sampled. */
  request: (request: TracedRequest) => RequestTrace | undefined;
  /** Runs a GraphQL operation as a part of the request that it came with. */
  operation: <Result extends { errors?: unknown }>(
    operation: TracedOperation,
    act: () => Result | Promise<Result>,
  ) => Result | Promise<Result>;
  /** Reads a list as a part of what asked for it. */
  list: <Result>(name: string, act: () => Result) => Result;
  /** Tells of a statement that is over, within what it was asked for by. */
  statement: (statement: TracedStatement, share: string) => void;
  /** Runs a fold of usage as a trace of its own, from when it tells that events wait; one with nothing to do leaves none. */
  fold: (act: (onWaiting: (events: number) => void) => Promise<void>) => Promise<void>;
  /** Sends what is left to send, for as long as sending may take at most. */
  close: () => Promise<void>;
}
