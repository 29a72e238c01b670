/** The transports through which a change can be requested. The list only grows. */
export const doors = {
  graphql: 'GraphQL API.',
  rest: 'REST API.',
  cli: 'Command line of the service.',
  oauth: 'OAuth pages and endpoints.',
} as const;

export type Door = keyof typeof doors;
