// `generate`, `validate` and `format` never start the schema engine, but Prisma's command line insists that its
// binary exists and would download one. Any existing file satisfies that check.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

// A plain object: the command line, which alone would tell its type, is installed only where it is used.
export default { schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } };
