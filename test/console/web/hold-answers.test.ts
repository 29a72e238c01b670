import { cacheExchange } from '@urql/exchange-graphcache';
import { Client, createRequest, fetchExchange, gql } from '@urql/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { holdAnswers } from '../../../src/console/web/api/hold-answers.js';
import { holdPage } from '../../../src/console/web/api/page-hold.js';

const query = gql`
  query Hello {
    hello
  }
`;

describe('While a form is open, the page behind it', () => {
  /** The requests that are under way. */
  let asked: ((hello: string) => void)[];
  let shown: unknown[];
  let again: () => void;

  beforeEach(() => {
    asked = [];
    shown = [];
    const options = {
      url: 'http://localhost/graphql',
      preferGetMethod: false as const,
      fetch: async () => {
        const hello = await new Promise<string>((resolve) => asked.push(resolve));
        return Response.json({ data: { __typename: 'Query', hello } });
      },
    };
    const reader = new Client({ ...options, requestPolicy: 'network-only', exchanges: [fetchExchange] });
    const client = new Client({ ...options, exchanges: [cacheExchange(), holdAnswers(reader), fetchExchange] });
    client.query(query, {}).subscribe(({ data, stale }) => {
      if (!stale) shown.push(data?.hello);
    });
    again = () => {
      const policy = { requestPolicy: 'network-only' } as const;
      client.reexecuteOperation(client.createRequestOperation('query', createRequest(query, {}), policy));
    };
  });

  const isAsked = async (count: number) => {
    await expect.poll(() => asked.length).toBe(count);
  };

  it('shows no answer that was under way, and asks again when the form closes', async () => {
    await isAsked(1);
    asked[0]?.('first');
    await expect.poll(() => shown).toEqual(['first']);
    again();
    await isAsked(2);
    const release = holdPage();
    asked[1]?.('under way');
    // Another answer, by which time that one would be shown.
    again();
    await isAsked(3);
    asked[2]?.('asked by the form');
    await expect.poll(() => shown).toEqual(['first', 'asked by the form']);
    release();
    await isAsked(4);
    asked[3]?.('latest');
    await expect.poll(() => shown).toEqual(['first', 'asked by the form', 'latest']);
  });

  it('shows its first answer, for which the form may wait too', async () => {
    await isAsked(1);
    const release = holdPage();
    asked[0]?.('first');
    await expect.poll(() => shown).toEqual(['first']);
    release();
  });
});
