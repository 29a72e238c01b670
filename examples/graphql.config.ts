// Configuration for editors (graphql.vscode-graphql and others). Copy it to your project, with schema.graphql beside it.
// docs/clients.md configures generators.
const config = {
  schema: 'schema.graphql',
  documents: 'src/**/*.{ts,tsx,graphql}',
};

export default config;
