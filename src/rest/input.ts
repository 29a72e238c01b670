import { invalidParameter } from '../errors.js';
import { pageSizeDefault, pageSizeMax } from '../paging/page.js';

/** A query string, each parameter of which may be given once. */
export interface QueryParameters {
  get: (name: string) => string | undefined;
}

/** @throws 400 `invalid_parameter` for a parameter that is repeated (decision 8). */
export function queryParameters(search: URLSearchParams): QueryParameters {
  const values = new Map<string, string>();
  for (const [name, value] of search) {
    if (values.has(name)) throw invalidParameter(name, 'must be given once');
    values.set(name, value);
  }
  return { get: (name) => values.get(name) };
}

/** A page size: 50 when it is absent, 200 when it is larger. */
export function limitFrom(query: QueryParameters): number {
  const text = query.get('limit');
  if (text === undefined) return pageSizeDefault;
  const limit = /^\d+$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw invalidParameter('limit', 'must be a whole number of at least 1');
  return Math.min(limit, pageSizeMax);
}

/** A parameter that takes one of a few words. */
export function wordFrom<Word extends string>(
  query: QueryParameters,
  name: string,
  words: Readonly<Record<Word, unknown>>,
): Word | undefined {
  const text = query.get(name);
  if (text === undefined) return undefined;
  const isWord = (value: string): value is Word => Object.hasOwn(words, value);
  if (!isWord(text)) throw invalidParameter(name, `must be one of: ${Object.keys(words).join(', ')}`);
  return text;
}
