// Writes the checked-in files that are generated from the code: schema.graphql and docs/errors.md.
import { writeFileSync } from 'node:fs';
import { printPricedSchema } from '../cost-directives.js';
import { printErrorsPage } from './errors-page.js';
import { schema } from './schema.js';

const root = new URL('../../../../', import.meta.url);
writeFileSync(new URL('schema.graphql', root), printPricedSchema(schema));
writeFileSync(new URL('docs/errors.md', root), printErrorsPage());
