// Creates spans by the semantic conventions of OpenTelemetry. The current request is in the asynchronous context, so
// that functions need not pass it on.
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, defaultTextMapGetter, trace } from '@opentelemetry/api';
import type { Context, Span, Tracer } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Tracing } from './trace-export.js';
import type { RequestTrace, TracedAnswer, TracedRequest, TracedStatement, Traces } from './traces.js';

/** Maximum numbers of spans for statements and lists in one request or rollup. */
const statementsMax = 500;
const listsMax = 100;

/** The standard HTTP methods. Others are recorded as _OTHER. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** A running request or rollup. */
interface Course {
  /** Undefined for a rollup without events yet. */
  root: Span | undefined;
  statements: number;
  lists: number;
  /**
   * Offset from performance.now() to Unix time (ms). It is fixed for all spans, because the system clock can change.
   */
  epochMs: number;
}

interface Place {
  course: Course;
  /** The parent context. */
  context: Context;
}

export function recordTraces({ tracer, close }: Tracing): Traces {
  const spans = new AsyncLocalStorage<Place>();
  return {
    request: (request) => beginRequest(tracer, spans, request),
    operation: ({ type, name, cost }, act) => {
      const current = spans.getStore();
      if (current?.course.root === undefined) return act();
      const attributes = {
        'graphql.operation.type': type,
        ...(name === undefined ? {} : { 'graphql.operation.name': name }),
        'wcp.graphql.cost': cost,
      };
      const { course, context } = current;
      const span = tracer.startSpan(type, { attributes, startTime: nowIn(course) }, context);
      return runWithin(spans, { course, context: trace.setSpan(context, span) }, span, act, hasErrors);
    },
    list: (name, act) => {
      const current = spans.getStore();
      if (current?.course.root === undefined || ++current.course.lists > listsMax) return act();
      const { course, context } = current;
      const attributes = { 'graphql.field.name': name };
      const span = tracer.startSpan(name, { attributes, startTime: nowIn(course) }, context);
      return runWithin(spans, { course, context: trace.setSpan(context, span) }, span, act, () => false);
    },
    statement: (statement, share) => {
      const current = spans.getStore();
      if (current?.course.root !== undefined) tellStatement(tracer, current, statement, share);
    },
    rollUp: (act) => runRollup(tracer, spans, act),
    close,
  };
}

/** Runs a function within a span, which ends with it. @param failed whether a result is a failure. */
function runWithin<Result>(
  spans: AsyncLocalStorage<Place>,
  current: Place,
  span: Span,
  act: () => Result,
  failed: (result: Awaited<Result>) => boolean,
): Result {
  const end = (isFailed: boolean) => {
    if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(nowIn(current.course));
  };
  try {
    const result = spans.run(current, act);
    Promise.resolve(result).then(
      (answer) => end(failed(answer)),
      () => end(true),
    );
    return result;
  } catch (error) {
    end(true);
    throw error;
  }
}

function hasErrors({ errors }: { errors?: unknown }): boolean {
  return errors !== undefined;
}

const propagator = new W3CTraceContextPropagator();

function beginRequest(
  tracer: Tracer,
  spans: AsyncLocalStorage<Place>,
  { headers, method, requestId }: TracedRequest,
): RequestTrace | undefined {
  const course = beginCourse();
  const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
  const known = methods.has(method) ? method : '_OTHER';
  const attributes = { 'http.request.method': known, 'url.scheme': 'http', 'wcp.request_id': requestId };
  const span = tracer.startSpan(
    known === '_OTHER' ? 'HTTP' : known,
    { kind: SpanKind.SERVER, attributes, startTime: nowIn(course) },
    parent,
  );
  if (!span.isRecording()) return undefined;
  course.root = span;
  const child = { course, context: trace.setSpan(parent, span) };
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-01`,
    run: (act) => spans.run(child, act),
    end: (answer) => endRequest(course, span, known, answer),
  };
}

function endRequest(course: Course, span: Span, method: string, answer: TracedAnswer): void {
  const { api, operation, requested, status, account, cost, error } = answer;
  if (requested !== undefined) {
    span.updateName(`${method} ${requested.route}`);
    span.setAttributes({ 'http.route': requested.route, 'url.path': requested.path });
  }
  span.setAttributes({
    'http.response.status_code': status,
    'wcp.api': api,
    'wcp.operation': operation,
    'wcp.statements': course.statements,
  });
  if (account !== undefined) span.setAttribute('wcp.account', account);
  if (cost !== undefined) span.setAttribute('wcp.graphql.cost', cost);
  if (error !== undefined) span.setAttribute('wcp.error', error);
  if (status >= 500) {
    span.setAttribute('error.type', error ?? String(status));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end(nowIn(course));
  // Work that continues after the response must not create spans in its context.
  course.root = undefined;
}

function tellStatement(
  tracer: Tracer,
  { course, context }: Place,
  { sql, startedMs, seconds }: TracedStatement,
  share: string,
): void {
  if (++course.statements > statementsMax) return;
  const operation = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'SQL';
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': sql,
    'wcp.database.share': share,
  };
  const startTime = course.epochMs + startedMs;
  tracer
    .startSpan(operation, { kind: SpanKind.CLIENT, attributes, startTime }, context)
    .end(startTime + seconds * 1_000);
}

async function runRollup(
  tracer: Tracer,
  spans: AsyncLocalStorage<Place>,
  act: Parameters<Traces['rollUp']>[0],
): Promise<void> {
  const course = beginCourse();
  const root: Place = { course, context: ROOT_CONTEXT };
  const onWaiting = (events: number) => {
    if (events === 0) return;
    const options = { attributes: { 'wcp.usage.events': events }, startTime: nowIn(course) };
    const span = tracer.startSpan('roll up usage', options, ROOT_CONTEXT);
    if (!span.isRecording()) return;
    course.root = span;
    root.context = trace.setSpan(ROOT_CONTEXT, span);
  };
  try {
    await spans.run(root, () => act(onWaiting));
  } catch (error) {
    course.root?.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    course.root?.end(nowIn(course));
    course.root = undefined;
  }
}

function beginCourse(): Course {
  return { root: undefined, statements: 0, lists: 0, epochMs: Date.now() - performance.now() };
}

function nowIn({ epochMs }: Course): number {
  return epochMs + performance.now();
}
