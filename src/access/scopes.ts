// The OAuth scopes of the specification, in its own order.
const verbsByResource = {
  agents: ['create', 'delete', 'get', 'list', 'update'],
  apiKey: ['list', 'write'],
  applications: ['create', 'delete', 'get', 'list', 'update'],
  configurations: ['list'],
  customdomains: ['create', 'delete', 'get', 'list', 'update'],
  functions: ['create', 'delete', 'get', 'list', 'update'],
  integrations: ['create', 'list'],
  invitations: ['list'],
  jobs: ['create', 'delete', 'get', 'list', 'update'],
  locations: ['list'],
  mcphub: ['list'],
  models: ['create', 'delete', 'get', 'list', 'update'],
  policies: ['create', 'delete', 'get', 'list', 'update'],
  sandboxes: ['control', 'create', 'delete', 'get', 'list', 'update'],
  sandboxhub: ['list'],
  templates: ['get', 'list'],
  volumeTemplates: ['create', 'delete', 'get', 'list', 'upsert'],
  volumes: ['create', 'delete', 'get', 'list'],
  workspaces: ['accept', 'create', 'decline', 'delete', 'get', 'invite', 'leave', 'list', 'remove', 'update'],
} as const;

type Verbs = typeof verbsByResource;

/** `admin` includes every other scope. */
export type Scope = 'admin' | { [Resource in keyof Verbs]: `${Resource}:${Verbs[Resource][number]}` }[keyof Verbs];

/** Every scope, in the specification's order. */
export const scopes: readonly string[] = [
  'admin',
  ...Object.entries(verbsByResource).flatMap(([resource, verbs]) => verbs.map((verb) => `${resource}:${verb}`)),
];
