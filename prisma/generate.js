// Writes the Prisma client from schema.prisma, as `prisma generate` does. It takes the generator alone, without the
// command line around it: that is a quarter of a gigabyte with its engines, its studio and a server of its own.
// Plain JavaScript, because it runs before anything can be compiled.
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const schemaPath = fileURLToPath(new URL('schema.prisma', import.meta.url));
const output = fileURLToPath(new URL('../src/database/client', import.meta.url));

export async function generateClient() {
  // The generator's modules for `import` name files that are not there.
  const require = createRequire(import.meta.url);
  const { PrismaClientTsGenerator } = require('@prisma/client-generator-ts');
  const { getConfig, getDMMF } = require('@prisma/internals');
  const { version } = require('@prisma/client/package.json');
  const datamodel = readFileSync(schemaPath, 'utf8');
  const schema = { datamodel: [[schemaPath, datamodel]] };
  const { generators, datasources } = await getConfig(schema);
  const [generator] = generators;
  rmSync(output, { recursive: true, force: true });
  await new PrismaClientTsGenerator().generate({
    generator: { ...generator, output: { value: output, fromEnvVar: null } },
    otherGenerators: [],
    schemaPath,
    datamodel,
    datasources,
    dmmf: await getDMMF(schema),
    version,
    binaryPaths: {},
  });
}
