/** Common purposes, each with the least scopes it needs. */
export const purposes = {
  deploy: {
    label: 'Deploy agents',
    scopes: ['agents:create', 'agents:get', 'agents:list', 'agents:update'],
  },
  costs: { label: 'Read costs', scopes: ['metrics:read'] },
  meter: { label: 'Record usage', scopes: ['usage:write'] },
  corrections: { label: 'Correct usage', scopes: ['metrics:read', 'usage:correct'] },
  read: {
    label: 'Read resources',
    scopes: [
      'agents:get',
      'agents:list',
      'jobs:get',
      'jobs:list',
      'sandboxes:get',
      'sandboxes:list',
      'volumes:get',
      'volumes:list',
      'workspaces:get',
      'workspaces:list',
    ],
  },
  everything: { label: 'All my permissions', scopes: ['admin'] },
} as const;

export type Purpose = keyof typeof purposes;

export const purposeNames = [
  'deploy',
  'costs',
  'meter',
  'corrections',
  'read',
  'everything',
] as const satisfies readonly Purpose[];

/** The purpose of a set of scopes; undefined for custom scopes. */
export function purposeOf(scopes: readonly string[]): Purpose | undefined {
  const text = scopes.toSorted().join(' ');
  return purposeNames.find((name) => purposes[name].scopes.toSorted().join(' ') === text);
}

/** The text of all scopes. */
export function scopesText(scopes: readonly string[]): string {
  return scopes.includes('admin') ? 'All permissions' : scopes.join(', ');
}

const scopesShown = 2;

/** The scopes in a few words: their purpose, or the first two of them and how many more there are. */
export function scopesSummary(scopes: readonly string[]): string {
  if (scopes.includes('admin')) return scopesText(scopes);
  const purpose = purposeOf(scopes);
  if (purpose !== undefined) return purposes[purpose].label;
  const more = scopes.length - scopesShown;
  // One more is no longer than its count.
  return more <= 1 ? scopesText(scopes) : `${scopes.slice(0, scopesShown).join(', ')} +${more}`;
}
