// Scopes in words, for somebody who has never heard of them.

const things: Readonly<Record<string, string>> = {
  agents: 'agents',
  apiKey: 'API keys',
  configurations: 'the platform configuration',
  invitations: 'invitations',
  jobs: 'jobs',
  sandboxes: 'sandboxes',
  volumes: 'volumes',
  workspaces: 'workspaces',
};

const actions: Readonly<Record<string, string>> = {
  create: 'Create',
  delete: 'Delete',
  get: 'Read the details of',
  list: 'See the list of',
  update: 'Change',
  write: 'Create and revoke',
  accept: 'Accept invitations to',
  decline: 'Decline invitations to',
  invite: 'Invite people to',
  leave: 'Leave, in your name,',
  remove: 'Remove people from',
};

const exceptions: Readonly<Record<string, string>> = {
  admin: 'Everything that you may do, in your name',
  'configurations:list': 'See the platform configuration',
  email: 'See your email address',
  'metrics:read': 'See what was used, and what it cost',
  openid: 'Know that you signed in here, and know you again',
  profile: 'See your name',
  'usage:write': 'Record what was used',
};

/** A scope as a sentence that a person can agree to. */
export function scopeWords(scope: string): string {
  const [thing = '', action = ''] = scope.split(':');
  return exceptions[scope] ?? `${actions[action] ?? action} ${things[thing] ?? thing}`;
}
