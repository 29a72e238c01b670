// Descriptions of scopes for users.

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
  get: 'Read details of',
  list: 'List',
  update: 'Update',
  write: 'Create and revoke',
  accept: 'Accept invitations to',
  decline: 'Decline invitations to',
  invite: 'Invite people to',
  leave: 'Leave',
  remove: 'Remove people from',
};

const exceptions: Readonly<Record<string, string>> = {
  admin: 'Full access with all your permissions',
  'configurations:list': 'Read the platform configuration',
  email: 'Read your email address',
  'metrics:read': 'Read usage and costs',
  openid: 'Confirm your identity',
  profile: 'Read your name',
  scim: 'Provision users and groups as an identity provider (SCIM)',
  'usage:correct': 'Void and amend recorded usage',
  'usage:write': 'Record usage',
};

/** The description of a scope. */
export function scopeWords(scope: string): string {
  const [thing = '', action = ''] = scope.split(':');
  return exceptions[scope] ?? `${actions[action] ?? action} ${things[thing] ?? thing}`;
}
