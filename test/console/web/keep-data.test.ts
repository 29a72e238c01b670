import { Client, createRequest, fetchExchange, gql } from '@urql/core';
import type { OperationResult } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { describe, expect, it } from 'vitest';
import { keepData } from '../../../src/console/web/api/keep-data.js';

const query = gql`
  query Hello {
    hello
  }
`;

describe('The result of a query', () => {
  /** Queries repeatedly over the network, and returns the visible data each time. */
  async function shownAfter(answers: (() => Promise<Response>)[]): Promise<OperationResult[]> {
    const client = new Client({
      url: 'http://localhost/graphql',
      preferGetMethod: false,
      exchanges: [keepData(), cacheExchange(), fetchExchange],
      fetch: async () => (answers.shift() ?? (() => Promise.reject(new TypeError('Failed to fetch'))))(),
    });
    const results: OperationResult[] = [];
    const source = client.query(query, {}, { requestPolicy: 'network-only' });
    const { unsubscribe } = source.subscribe((result) => {
      if (!result.stale) results.push(result);
    });
    const count = answers.length;
    for (let asked = 1; asked <= count; asked++) {
      await expect.poll(() => results.length).toBe(asked);
      const operation = results.at(-1)?.operation;
      if (asked < count && operation !== undefined) client.reexecuteOperation(operation);
    }
    unsubscribe();
    return results;
  }

  const answered = async () => Response.json({ data: { __typename: 'Query', hello: 'world' } });
  const unreached = async () => Promise.reject(new TypeError('Failed to fetch'));
  const refused = async () => Response.json({ data: null, errors: [{ message: 'no' }] });

  it('stays visible with the error while the service is unreachable', async () => {
    const [, second] = await shownAfter([answered, unreached]);
    expect(second?.error?.networkError).toBeInstanceOf(TypeError);
    expect(second?.data).toMatchObject({ hello: 'world' });
  });

  it('stays visible while the service fails, until the query succeeds again', async () => {
    const failed = async () =>
      Response.json({ data: null, errors: [{ message: 'failed', extensions: { code: 'internal_error' } }] });
    const [, second] = await shownAfter([answered, failed]);
    expect([second?.error?.message, second?.data]).toEqual([
      '[GraphQL] failed',
      expect.objectContaining({ hello: 'world' }),
    ]);
    const [, , third] = await shownAfter([answered, failed, answered]);
    expect([third?.error, third?.data]).toEqual([undefined, expect.objectContaining({ hello: 'world' })]);
  });

  it('stays visible with the error although the cache repeats it', async () => {
    const failed = async () =>
      Response.json({ data: null, errors: [{ message: 'failed', extensions: { code: 'internal_error' } }] });
    const answers = [answered, failed, answered];
    const client = new Client({
      url: 'http://localhost/graphql',
      preferGetMethod: false,
      exchanges: [keepData(), cacheExchange(), fetchExchange],
      fetch: async () => (answers.shift() ?? answered)(),
    });
    const results: OperationResult[] = [];
    const source = client.query(query, {}, { requestPolicy: 'network-only' });
    const { unsubscribe } = source.subscribe((result) => results.push({ ...result }));
    const isShown = async (count: number) => {
      await expect.poll(() => results.filter(({ stale }) => !stale).length).toBe(count);
    };
    for (const [index, requestPolicy] of (['network-only', 'cache-first', 'network-only'] as const).entries()) {
      await isShown(index + 1);
      client.reexecuteOperation(client.createRequestOperation('query', createRequest(query, {}), { requestPolicy }));
    }
    await isShown(4);
    unsubscribe();
    const shown = results.filter(({ stale }) => !stale);
    expect(shown.map(({ operation }) => operation.context.meta?.cacheOutcome === 'hit')).toEqual([
      false,
      false,
      true,
      false,
    ]);
    expect(shown.map(({ error }) => error?.message)).toEqual([
      undefined,
      '[GraphQL] failed',
      '[GraphQL] failed',
      undefined,
    ]);
    for (const { data } of shown) expect(data).toMatchObject({ hello: 'world' });
  });

  it('is removed for good when the service rejects the query', async () => {
    const [, second, third] = await shownAfter([answered, refused, unreached]);
    expect([second?.data ?? null, third?.data ?? null]).toEqual([null, null]);
  });

  it('is empty before the first response', async () => {
    const [first] = await shownAfter([unreached]);
    expect(first?.data ?? null).toBeNull();
  });
});
