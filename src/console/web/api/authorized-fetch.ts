import { accessToken } from '../session/session.js';
import { pathPrefix } from '../session/settings.js';
import { isServiceHealthy, noteConnection } from './connection.js';
import { unreachableStatuses } from './failure.js';
import { fetchInTime, isTimedOut } from './fetch-in-time.js';

export const graphqlUrl = `${pathPrefix}/graphql`;

/** `fetch` with the user's access token. @throws if the user is not signed in, the connection is lost or time is up. */
export async function authorizedFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const response = await send(input, init, await reachableToken());
  if (response.status !== 401) return response;
  // The token was revoked, perhaps with the session. Requesting a new token shows which.
  const renewed = await reachableToken(true);
  return renewed === undefined ? response : send(input, init, renewed);
}

/** The access token. After a renewal that fails, the session itself stays. */
async function reachableToken(isRefused = false): Promise<string | undefined> {
  try {
    return await accessToken(isRefused);
  } catch (error) {
    return fail(error);
  }
}

async function send(input: RequestInfo | URL, init: RequestInit, token: string | undefined): Promise<Response> {
  if (token === undefined) throw new Error('You are not signed in.');
  const headers = new Headers(init.headers);
  headers.set('authorization', `Bearer ${token}`);
  try {
    const response = await fetchInTime(input, { ...init, headers });
    // The response of one request does not say that the others come through: the health check does.
    if (unreachableStatuses.includes(response.status)) noteConnection(false);
    return response;
  } catch (error) {
    if (init.signal?.aborted) throw error;
    return fail(error);
  }
}

/** Notes that the connection is lost, unless the service responds to others and only this request took too long. */
async function fail(error: unknown): Promise<never> {
  if (isTimedOut(error)) {
    if (await isServiceHealthy()) throw error;
    noteConnection(false);
    throw new Error('The connection is lost.', { cause: error });
  }
  noteConnection(false);
  throw error;
}
