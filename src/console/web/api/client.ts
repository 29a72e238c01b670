// Two ways to the same endpoint: `client` remembers what it has seen, so that a view shows at once and then refreshes;
// `pageClient` forgets, because a list of a hundred thousand rows must not stay in memory once it has scrolled by.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { possibleTypes } from 'virtual:possible-types';
import { fetchOrTake } from './ahead.js';
import { graphqlUrl } from './authorized-fetch.js';
import { keepData } from './keep-data.js';

const options = { url: graphqlUrl, fetch: fetchOrTake, preferGetMethod: false, fetchSubscriptions: true };

/** They have an id that is theirs only within what holds them. */
const embedded = () => null;

export const client = new Client({
  ...options,
  requestPolicy: 'cache-and-network',
  exchanges: [
    keepData(),
    cacheExchange({
      // Else it guesses which fragments fit an answer, and takes an error for nothing.
      possibleTypes,
      keys: {
        OauthClient: ({ name }) => (typeof name === 'string' ? name : null),
        Budget: embedded,
        BudgetCrossing: embedded,
        BudgetThreshold: embedded,
        GroupCount: embedded,
        Trigger: embedded,
        ChangeActor: embedded,
        ImageShareMetadata: embedded,
        JobExecutionMetadata: embedded,
      },
    }),
    fetchExchange,
  ],
});

export const pageClient = new Client({ ...options, requestPolicy: 'network-only', exchanges: [fetchExchange] });
