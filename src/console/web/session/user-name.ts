import { firstQueries } from 'virtual:first-queries';
import { fetchInTime } from '../api/fetch-in-time.js';
import { pathPrefix } from './settings.js';

/** The name of the user of an access token; "another user" if the service does not respond. */
export async function userNameOf(token: string): Promise<string> {
  const unknown = 'another user';
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify({ operationName: 'Viewer', query: firstQueries.Viewer });
  return fetchInTime(`${pathPrefix}/graphql`, { method: 'POST', headers, body })
    .then((response): Promise<{ data?: { viewer: { name: string } } }> => response.json())
    .then(
      ({ data }) => data?.viewer.name ?? unknown,
      () => unknown,
    );
}
