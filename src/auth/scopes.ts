// The OAuth scopes of credentials.
/** The OAuth scopes of the specification, in its order. */
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

/** Scopes that the specification lacks: for reading costs, and for recording and correcting usage. */
const ownScopes = ['metrics:read', 'usage:correct', 'usage:write'] as const;

type Verbs = typeof verbsByResource;

/** The scope of executor keys. It cannot be requested, and `admin` does not include it. */
export const executorScope = 'assignments:work';

/**
 * The scope of identity providers that provision users (SCIM). Only API keys can have it: `admin` does not include it, and
 * users cannot give it to programs.
 */
export const provisioningScope = 'scim';

/** Resources that have scopes in the specification and do not exist in this product. */
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

/** Scopes of existing resources for actions that do not exist. */
const absentVerbs = ['sandboxes:control'] as const;

type SpecifiedScope = { [Resource in keyof Verbs]: `${Resource}:${Verbs[Resource][number]}` }[keyof Verbs];

/** A scope that code can require: all except those without effect. `admin` includes every other scope but {@link provisioningScope}. */
export type Scope =
  | 'admin'
  | typeof provisioningScope
  | Exclude<SpecifiedScope, `${(typeof absentThings)[number]}:${string}` | (typeof absentVerbs)[number]>
  | (typeof ownScopes)[number];

/** All scopes: the specification's in its order, then those of this service. */
export const scopes: readonly string[] = [
  'admin',
  ...Object.entries(verbsByResource).flatMap(([resource, verbs]) => verbs.map((verb) => `${resource}:${verb}`)),
  ...ownScopes,
];

/**
 * The scopes with an effect in this product (decision 106). The others are accepted in requests for compatibility.
 * Users are not asked for them, and new credentials do not have them.
 */
export const openingScopes: readonly string[] = scopes.filter(
  (scope) => ![...absentThings.map((thing) => `${thing}:`), ...absentVerbs].some((absent) => scope.startsWith(absent)),
);

/** The scopes that an API key can have. */
export const apiKeyScopes: readonly string[] = [...openingScopes, provisioningScope];

/**
 * OpenID Connect scopes (OpenID Connect Core, sections 3.1.2.1 and 5.4). They give no access to the API and need no
 * role, and `admin` does not include them.
 */
export const identityScopes: readonly string[] = ['openid', 'profile', 'email'];

/** The scopes that an OAuth client can register and request. */
export const knownScopes: readonly string[] = [...identityScopes, ...scopes];

/** The scopes that a user is asked for and a token can have. */
export const grantableScopes: readonly string[] = [...identityScopes, ...openingScopes];

/** Returns the known names in a scope, deduplicated and in the order of the list. */
export function scopeNames(scope: string): string[] {
  const granted = new Set(scope.split(' '));
  return [...scopes, provisioningScope].filter((name) => granted.has(name));
}

/** Returns the names in a scope that a user can be asked for. */
export function grantableNames(scope: string): string[] {
  const granted = new Set(scope.split(' '));
  return grantableScopes.filter((name) => granted.has(name));
}

/** The endings of read-only scopes. */
const readingVerbs = /:(get|list|read)$/;

/** Whether a scope allows changes. `admin` counts as read-only here; callers that need it as a change say so. */
export function isChangingScope(name: string): boolean {
  return name !== 'admin' && !identityScopes.includes(name) && !readingVerbs.test(name);
}

/** Whether a scope includes another. `admin` includes all that have an effect in the API. */
export function includesScope(scope: string, name: string): boolean {
  const granted = scope.split(' ');
  const isOfAdmin = !identityScopes.includes(name) && name !== provisioningScope;
  return granted.includes(name) || (granted.includes('admin') && isOfAdmin);
}
