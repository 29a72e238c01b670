/** By which way a change came in. The list only grows. */
export const doors = {
  graphql: 'By GraphQL.',
  rest: 'By REST.',
  cli: 'By the command line of the service.',
  oauth: 'By the pages and endpoints of OAuth.',
} as const;

export type Door = keyof typeof doors;
