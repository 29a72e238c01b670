// Two ways to the same endpoint: `client` remembers what it has seen, so that a view shows at once and then refreshes;
// `pageClient` forgets, because a list of a hundred thousand rows must not stay in memory once it has scrolled by.
import { Client, fetchExchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { possibleTypes } from 'virtual:possible-types';
import { accessToken } from '../session/session.js';
import { pathPrefix } from '../session/settings.js';
import { noteConnection } from './connection.js';

const url = `${pathPrefix}/graphql`;

async function authorizedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const response = await send(input, init, await accessToken());
  if (response.status !== 401) return response;
  // The token was ended before its time, perhaps with the session: another one tells.
  const renewed = await accessToken(true);
  return renewed === undefined ? response : send(input, init, renewed);
}

async function send(input: RequestInfo | URL, init: RequestInit, token: string | undefined): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  try {
    const response = await fetch(input, { ...init, headers });
    noteConnection(response.status !== 502 && response.status !== 503);
    return response;
  } catch (error) {
    if (!init.signal?.aborted) noteConnection(false);
    throw error;
  }
}

const options = { url, fetch: authorizedFetch, preferGetMethod: false, fetchSubscriptions: true };

/** They have an id that is theirs only within what holds them. */
const embedded = () => null;

export const client = new Client({
  ...options,
  requestPolicy: 'cache-and-network',
  exchanges: [
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
