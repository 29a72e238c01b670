/** Common purposes, each with the least scopes it needs. */
export const purposes = {
  costs: { label: 'Read costs', scopes: ['metrics:read'] },
  meter: { label: 'Record usage', scopes: ['usage:write'] },
  corrections: { label: 'Correct usage', scopes: ['metrics:read', 'usage:correct'] },
  read: {
    label: 'Read agents, sandboxes, jobs and volumes',
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

/** The text of a set of scopes. */
export function scopesText(scopes: readonly string[]): string {
  return scopes.includes('admin') ? 'All permissions' : scopes.join(', ');
}
