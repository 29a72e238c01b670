// One OpenAPI document for each version whose answers differ, so that every operation has one type in each.
import { z } from 'zod';
import { queryParameters, readFields } from '../api/rest/input.js';
import { openApiDocument } from '../api/rest/openapi.js';
import type { ApiAddress } from '../api/rest/openapi.js';
import type { Route } from '../api/rest/route.js';
import { appliedVersion, hasPagedLists } from '../api/rest/version.js';

const documentQuery = z.object({ version: z.string().optional() });

/**
 * The documents of a table of routes. Each is made when somebody first asks for it.
 *
 * @returns what answers a query string: the document of `version`, else of the version that applies to a request
 *   that names none. It throws 400 `invalid_api_version` unless `version` is a calendar date that exists.
 */
export function openApiDocuments(routes: Route[], address: ApiAddress): (search: string) => object {
  const made = new Map<boolean, object>();
  return (search) => {
    const { version } = readFields(documentQuery, queryParameters(new URLSearchParams(search)));
    const isPaged = hasPagedLists(appliedVersion('version', version, address.defaultVersion));
    const document = made.get(isPaged) ?? openApiDocument(routes, address, isPaged);
    made.set(isPaged, document);
    return document;
  };
}
