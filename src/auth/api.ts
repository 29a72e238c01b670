/** The transports through which a change can be requested. The list only grows. */
export const apis = {
  graphql: 'GraphQL API.',
  rest: 'REST API.',
  cli: 'Command line of the service.',
  oauth: 'OAuth pages and endpoints.',
  mcp: 'MCP server, for AI assistants.',
  scim: 'SCIM endpoints, for identity providers that provision users.',
} as const;

export type Api = keyof typeof apis;
