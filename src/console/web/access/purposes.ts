/** What programs are usually let do. Each is the least that does it. */
export const purposes = {
  costs: { label: 'Read costs', scopes: ['metrics:read'] },
  meter: { label: 'Record usage', scopes: ['usage:write'] },
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
  everything: { label: 'Everything that I may', scopes: ['admin'] },
} as const;

export type Purpose = keyof typeof purposes;

export const purposeNames = ['costs', 'meter', 'read', 'everything'] as const satisfies readonly Purpose[];

/** The purpose that some scopes are for; undefined where they are put together otherwise. */
export function purposeOf(scopes: readonly string[]): Purpose | undefined {
  const text = scopes.toSorted().join(' ');
  return purposeNames.find((name) => purposes[name].scopes.toSorted().join(' ') === text);
}

/** What scopes let somebody do, as a sentence has it. */
export function scopesText(scopes: readonly string[]): string {
  return scopes.includes('admin') ? 'everything' : scopes.join(', ');
}
