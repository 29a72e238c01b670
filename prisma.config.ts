import { defineConfig } from 'prisma/config';

// These commands never start the schema engine. The command line requires its binary for them all the same, and would
// download it. Any existing file satisfies that check. `prisma migrate` does start it.
const withoutEngine = ['generate', 'validate', 'format'];

if (withoutEngine.some((command) => process.argv.includes(command)))
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({ schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } });
