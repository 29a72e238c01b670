import { readFileSync, writeFileSync } from 'node:fs';
import { schemaTypes } from './schema-types.ts';

const sdl = readFileSync(new URL('../../../../schema.graphql', import.meta.url), 'utf8');
writeFileSync(new URL('../api/schema-types.d.ts', import.meta.url), schemaTypes(sdl));
