import { accessToken } from '../session/session.js';
import { pathPrefix } from '../session/settings.js';
import { noteConnection } from './connection.js';

export const graphqlUrl = `${pathPrefix}/graphql`;

/** As `fetch`, by who is signed in. @throws when nobody is, as when the service is not reached. */
export async function authorizedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const response = await send(input, init, await accessToken());
  if (response.status !== 401) return response;
  // The token was ended before its time, perhaps with the session: another one tells.
  const renewed = await accessToken(true);
  return renewed === undefined ? response : send(input, init, renewed);
}

async function send(input: RequestInfo | URL, init: RequestInit, token: string | undefined): Promise<Response> {
  if (token === undefined) throw new Error('Nobody is signed in.');
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  try {
    const response = await fetch(input, { ...init, headers });
    noteConnection(response.status !== 502 && response.status !== 503);
    return response;
  } catch (error) {
    if (!init.signal?.aborted) noteConnection(false);
    throw error;
  }
}
