import { defineConfig } from 'prisma/config';

// `generate`, `validate` and `format` never start the schema engine, but the CLI insists that its
// binary exists and would download one. Any existing file satisfies that check.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } });
