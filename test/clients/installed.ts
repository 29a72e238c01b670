// Imported first by the tests of this folder, whose packages are not those of the project.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('node_modules/@apollo/client', import.meta.url))) {
  throw new Error('The client libraries are not installed. Run: npm ci --prefix test/clients');
}
