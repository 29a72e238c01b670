import { readFileSync } from 'node:fs';
import { z } from 'zod';

const packageFile = z.object({ version: z.string() });

/** The version of this program in its package.json, next to the sources or the compiled files. */
export const version = packageFile.parse(
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')),
).version;
