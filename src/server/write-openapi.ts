// Writes the OpenAPI documents of the package into a folder: one for each API version with other responses.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lastWholeLists, pagedListsSince } from '../api/rest/version.js';
import { headerNames } from '../auth/request-headers.js';
import { readConfig } from '../config.js';
import { openApiDocuments } from './openapi-versions.js';
import { routes } from './routes.js';

const [folder = 'openapi'] = process.argv.slice(2);
const { PUBLIC_URL: publicUrl, SERVICE_NAME: name, DEFAULT_API_VERSION: defaultVersion } = readConfig({});
const documentOf = openApiDocuments(routes, { publicUrl, headers: headerNames(name), defaultVersion });

mkdirSync(folder, { recursive: true });
for (const version of [lastWholeLists, pagedListsSince]) {
  writeFileSync(join(folder, `${version}.json`), `${JSON.stringify(documentOf(`version=${version}`), null, 2)}\n`);
}
