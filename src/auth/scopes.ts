// What a credential may be narrowed to.
/** The OAuth scopes of the specification, in its own order. */
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

/** Scopes of this service beside those of the specification, which has none for meters and for who looks at costs. */
const ownScopes = ['metrics:read', 'usage:write'] as const;

type Verbs = typeof verbsByResource;

/** What the key of an executor carries. Nobody can ask for it, and `admin` does not include it. */
export const executorScope = 'assignments:work';

/** What the specification has scopes for, and this product nothing. */
const absentThings = [
  'applications',
  'customdomains',
  'functions',
  'integrations',
  'locations',
  'mcphub',
  'models',
  'policies',
  'sandboxhub',
  'templates',
  'volumeTemplates',
] as const;

/** Scopes of things that are here, for what cannot be done with them. */
const absentVerbs = ['sandboxes:control'] as const;

type SpecifiedScope = { [Resource in keyof Verbs]: `${Resource}:${Verbs[Resource][number]}` }[keyof Verbs];

/** `admin` includes every other scope. One that opens nothing is none of these: nothing can require it. */
export type Scope =
  | 'admin'
  | Exclude<SpecifiedScope, `${(typeof absentThings)[number]}:${string}` | (typeof absentVerbs)[number]>
  | (typeof ownScopes)[number];

/** Every scope: the specification's in its own order, then those of this service. */
export const scopes: readonly string[] = [
  'admin',
  ...Object.entries(verbsByResource).flatMap(([resource, verbs]) => verbs.map((verb) => `${resource}:${verb}`)),
  ...ownScopes,
];

/**
 * Those that open something in this product (decision 106). The others are known, so that clients may go on asking for
 * them; nobody is asked to agree to them, and no new credential carries them.
 */
export const openingScopes: readonly string[] = scopes.filter(
  (scope) => ![...absentThings.map((thing) => `${thing}:`), ...absentVerbs].some((absent) => scope.startsWith(absent)),
);

/**
 * What a client asks for to know who signed in: OpenID Connect Core, sections 3.1.2.1 and 5.4. They open nothing of this
 * API and need no role, and `admin` does not include them.
 */
export const identityScopes: readonly string[] = ['openid', 'profile', 'email'];

/** What an OAuth client can be registered for, and ask for. */
export const knownScopes: readonly string[] = [...identityScopes, ...scopes];

/** What of it a user is asked to agree to, and a token carries. */
export const grantableScopes: readonly string[] = [...identityScopes, ...openingScopes];

/** The names in a scope, each once, in the order of the list; unknown ones are left out. */
export function scopeNames(scope: string): string[] {
  const given = new Set(scope.split(' '));
  return scopes.filter((name) => given.has(name));
}

/** The same of what a user can be asked for. */
export function grantableNames(scope: string): string[] {
  const given = new Set(scope.split(' '));
  return grantableScopes.filter((name) => given.has(name));
}

/** What scopes end in that change nothing. */
const readingVerbs = /:(get|list|read)$/;

/** Whether a scope names a change. `admin` is both: who takes it for a change says so. */
export function isChangingScope(name: string): boolean {
  return name !== 'admin' && !identityScopes.includes(name) && !readingVerbs.test(name);
}

/** Whether a scope includes another: `admin` includes all that open something of this API. */
export function includesScope(scope: string, name: string): boolean {
  const held = scope.split(' ');
  return held.includes(name) || (held.includes('admin') && !identityScopes.includes(name));
}
