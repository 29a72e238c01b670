// Scopes in words, for somebody who has never heard of them.

const things: Readonly<Record<string, string>> = {
  agents: 'agents',
  apiKey: 'API keys',
  applications: 'applications',
  configurations: 'the platform configuration',
  customdomains: 'custom domains',
  functions: 'functions',
  integrations: 'integrations',
  invitations: 'invitations',
  jobs: 'jobs',
  locations: 'locations',
  mcphub: 'the MCP hub',
  models: 'models',
  policies: 'policies',
  sandboxes: 'sandboxes',
  sandboxhub: 'the sandbox hub',
  templates: 'templates',
  volumeTemplates: 'volume templates',
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
  control: 'Start, stop and use',
  upsert: 'Create and change',
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
  'mcphub:list': 'See what is in the MCP hub',
  'metrics:read': 'See what was used, and what it cost',
  openid: 'Know that you signed in here, and know you again',
  profile: 'See your name',
  'sandboxhub:list': 'See what is in the sandbox hub',
  'usage:write': 'Record what was used',
};

/** A scope as a sentence that a person can agree to. */
export function scopeWords(scope: string): string {
  const [thing = '', action = ''] = scope.split(':');
  return exceptions[scope] ?? `${actions[action] ?? action} ${things[thing] ?? thing}`;
}
