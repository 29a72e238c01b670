// Creates one OpenAPI document for each API version with different responses.
import { z } from 'zod';
import { queryParameters, readFields } from '../api/rest/input.js';
import { openApiDocument } from '../api/rest/openapi.js';
import type { ApiLocation } from '../api/rest/openapi.js';
import type { Route } from '../api/rest/route.js';
import { appliedVersion, hasPagedLists } from '../api/rest/version.js';

const documentQuery = z.object({ version: z.string().optional() });

/**
 * The documents of the routes. Each is created on first use.
 *
 * @returns a function that returns the document of the query parameter `version`, or of the default version. It throws 400
 *   `invalid_api_version` if `version` is not a valid date.
 */
export function openApiDocuments(routes: Route[], location: ApiLocation): (search: string) => object {
  const documents = new Map<boolean, object>();
  return (search) => {
    const { version } = readFields(documentQuery, queryParameters(search));
    const isPaged = hasPagedLists(appliedVersion('version', version, location.defaultVersion));
    const document = documents.get(isPaged) ?? openApiDocument(routes, location, isPaged);
    documents.set(isPaged, document);
    return document;
  };
}
