import { accessToken } from '../session/session.js';
import { pathPrefix } from '../session/settings.js';
import { noteConnection } from './connection.js';
import { unreachableStatuses } from './failure.js';

export const graphqlUrl = `${pathPrefix}/graphql`;

/** `fetch` with the user's access token. @throws if the user is not signed in or the connection is lost. */
export async function authorizedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const response = await send(input, init, await reachableToken());
  if (response.status !== 401) return response;
  // The token was revoked, perhaps with the session. Requesting a new token shows which.
  const renewed = await reachableToken(true);
  return renewed === undefined ? response : send(input, init, renewed);
}

/** The access token. A renewal that fails means that the service is away: the session itself stays. */
async function reachableToken(isRefused = false): Promise<string | undefined> {
  try {
    return await accessToken(isRefused);
  } catch (error) {
    noteConnection(false);
    throw error;
  }
}

async function send(input: RequestInfo | URL, init: RequestInit, token: string | undefined): Promise<Response> {
  if (token === undefined) throw new Error('You are not signed in.');
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  try {
    const response = await fetch(input, { ...init, headers });
    // The response of one request does not say that the others come through: the health check does.
    if (unreachableStatuses.includes(response.status)) noteConnection(false);
    return response;
  } catch (error) {
    if (!init.signal?.aborted) noteConnection(false);
    throw error;
  }
}
