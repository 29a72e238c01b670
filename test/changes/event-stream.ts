// A client of GraphQL over SSE that returns each event.
import type { TestApp } from '../harness.js';

export interface StreamEvent {
  event: string;
  data: ReturnType<typeof JSON.parse>;
}

export interface WatchClient {
  response: Response;
  /** The next event; undefined when the stream has ended. Signs of life are passed over. */
  next: () => Promise<StreamEvent | undefined>;
  /** How many signs of life came. */
  beats: () => number;
  /** The id that an EventSource would send as Last-Event-ID (HTML, section 9.2.6). */
  lastEventId: () => string;
  leave: () => void;
}

/** Opens a stream; other responses are returned as they are. */
export async function watch(
  app: TestApp,
  key: string,
  query: string,
  variables: Record<string, unknown> = {},
  method: 'GET' | 'POST' = 'POST',
  operationName?: string,
  lastEventId?: string,
): Promise<WatchClient> {
  const leaving = new AbortController();
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
  const response = await fetch(`${app.origin}/graphql${method === 'GET' ? `?${search.toString()}` : ''}`, {
    method,
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    ...(method === 'GET' ? {} : { body: JSON.stringify({ query, variables, operationName }) }),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const pieces = (isStream ? response.body : null)?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let beats = 0;
  let id = lastEventId ?? '';
  const next = async (): Promise<StreamEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        if (lines[0] === ':') {
          beats++;
          continue;
        }
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 2) ?? '';
        if (lines.some((line) => line.startsWith('id:'))) id = field('id');
        // An id without data dispatches no event.
        if (!lines.some((line) => line.startsWith('data:'))) continue;
        const data = field('data');
        return { event: field('event'), data: data === '' ? undefined : JSON.parse(data) };
      }
      const piece = await pieces?.read();
      if (piece === undefined || piece.done) return undefined;
      text += piece.value;
    }
  };
  return { response, next, beats: () => beats, lastEventId: () => id, leave: () => leaving.abort() };
}
