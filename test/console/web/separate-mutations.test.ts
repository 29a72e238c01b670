import { cacheExchange } from '@urql/exchange-graphcache';
import { Client, fetchExchange, gql } from '@urql/core';
import { expect, it } from 'vitest';
import { separateMutations } from '../../../src/console/web/api/separate-mutations.js';

const mutation = gql`
  mutation ($name: String!) {
    result: rename(name: $name) {
      id
    }
  }
`;

it('answers each of two mutations with the same variables that run at the same time', async () => {
  const release: ((id: string) => void)[] = [];
  const answered = async () => {
    const id = await new Promise<string>((resolve) => release.push(resolve));
    const data = { result: { __typename: 'Renamed', id } };
    return new Response(JSON.stringify({ data }), { headers: { 'content-type': 'application/json' } });
  };
  const client = new Client({
    url: 'http://gateway.test/graphql',
    preferGetMethod: false,
    fetch: answered,
    exchanges: [separateMutations(), cacheExchange({}), fetchExchange],
  });
  const rename = async () => (await client.mutation(mutation, { name: 'one' }).toPromise()).data;
  const both = [rename(), rename()];
  await expect.poll(() => release.length).toBe(2);
  release[1]?.('second');
  release[0]?.('first');
  expect(await Promise.all(both)).toEqual([{ result: { id: 'first' } }, { result: { id: 'second' } }]);
});
