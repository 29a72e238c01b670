// Configuration for editors (graphql.vscode-graphql and others) and for GraphQL Code Generator. Copy it to your project, with
// schema.graphql beside it.
const config = {
  schema: 'schema.graphql',
  documents: 'src/**/*.{ts,tsx,graphql}',
  extensions: {
    codegen: {
      generates: {
        'src/graphql/types.ts': {
          plugins: ['typescript', 'typescript-operations'],
          config: {
            strictScalars: true,
            enumsAsTypes: true,
            useTypeImports: true,
            scalars: { DateTime: 'string', Decimal: 'string', Bytes: 'number', JSON: 'unknown' },
          },
        },
      },
    },
  },
};

export default config;
