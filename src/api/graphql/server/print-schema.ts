// Writes schema.graphql, the checked-in picture of the schema that the code builds.
import { writeFileSync } from 'node:fs';
import { printPricedSchema } from '../cost-directives.js';
import { schema } from './schema.js';

writeFileSync(new URL('../../../../schema.graphql', import.meta.url), printPricedSchema(schema));
