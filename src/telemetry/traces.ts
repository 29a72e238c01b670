// The interface of tracing: spans for requests, operations and statements. Spans have names, ids, numbers and the text
// of statements, but never a credential, or data of a body, a variable or a value.

export interface TraceSettings {
  /** URL of the collector, without /v1/traces. Undefined disables tracing. */
  endpoint: string | undefined;
  /** Sampling ratio of root spans (0 to 1). */
  ratio: number;
  serviceName: string;
  version: string;
  /** Maximum time to send one batch of spans, including retries (ms). */
  sendMsMax?: number;
}

/** A received request. */
export interface TracedRequest {
  /** The headers, which can contain the parent trace. */
  headers: Record<string, string | string[] | undefined>;
  method: string;
  requestId: string;
}

/** A completed request. */
export interface TracedAnswer {
  api: string;
  operation: string;
  /** The matched route with parameters in braces, and the requested path. Undefined if no route matched. */
  requested?: { route: string; path: string } | undefined;
  status: number;
  account?: string | undefined;
  cost?: number | undefined;
  /** The error code. */
  error?: string | undefined;
}

/** The span of a request. */
export interface RequestTrace {
  traceId: string;
  /** The header that identifies the span (W3C Trace Context, section 3.2). */
  traceparent: string;
  /** Runs a function in the context of the span. */
  run: (act: () => void) => void;
  end: (answer: TracedAnswer) => void;
}

export interface TracedOperation {
  type: string;
  /** The operation name in the document. */
  name: string | undefined;
  cost: number;
}

export interface TracedStatement {
  /** The SQL text without values. */
  sql: string;
  /** Start time by performance.now() (ms). */
  startedMs: number;
  seconds: number;
}

export interface Traces {
  /** Starts the span of a request. Returns undefined if the request is not sampled. */
  request: (request: TracedRequest) => RequestTrace | undefined;
  /** Runs a GraphQL operation in a span of its request. */
  operation: <Result extends { errors?: unknown }>(
    operation: TracedOperation,
    act: () => Result | Promise<Result>,
  ) => Result | Promise<Result>;
  /** Reads a list in a span of its parent. */
  list: <Result>(name: string, act: () => Result) => Result;
  /** Records a completed statement as a span of its parent. */
  statement: (statement: TracedStatement, share: string) => void;
  /**
   * Runs a rollup of usage in its own trace, which starts when it reports waiting events. Without events there is no
   * trace.
   */
  rollUp: (act: (onWaiting: (events: number) => void) => Promise<void>) => Promise<void>;
  /** Sends the remaining spans. */
  close: () => Promise<void>;
}
