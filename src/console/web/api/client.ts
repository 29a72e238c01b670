// Two clients of the same endpoint: `client` has a cache, so that a view shows immediately and then refreshes; `pageClient`
// has none, because a list of 100,000 rows must not stay in memory, and what a dialog reads again must not change the page
// behind it.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { possibleTypes } from 'virtual:possible-types';
import { fetchOrTake } from './ahead.js';
import { graphqlUrl } from './authorized-fetch.js';
import { holdAnswers } from './hold-answers.js';
import { keepData } from './keep-data.js';
import { separateMutations } from './separate-mutations.js';

const options = { url: graphqlUrl, fetch: fetchOrTake, preferGetMethod: false, fetchSubscriptions: true };

/** Types whose ids are unique only within their parent. */
const embedded = () => null;

export const pageClient = new Client({ ...options, requestPolicy: 'network-only', exchanges: [fetchExchange] });

export const client = new Client({
  ...options,
  requestPolicy: 'cache-and-network',
  exchanges: [
    keepData(),
    separateMutations(),
    cacheExchange({
      // Without this, it guesses which fragments match and drops errors.
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
    holdAnswers(pageClient),
    fetchExchange,
  ],
});
