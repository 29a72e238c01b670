// The words of the history: closed lists, which only grow.

/** What a change can be about. */
export const changeKinds = {
  AGENT: 'An agent.',
  SANDBOX: 'A sandbox.',
  SANDBOX_PREVIEW: 'A preview of a sandbox.',
  AGENT_INVOCATION: 'A run of an agent that one of its cron triggers asked for.',
  JOB: 'A job.',
  JOB_EXECUTION: 'An execution of a job.',
  VOLUME: 'A volume.',
  VPC: 'A VPC.',
  EGRESS_GATEWAY: 'An egress gateway of a VPC.',
  EGRESS_IP: 'An address of an egress gateway.',
  IMAGE: 'A container image.',
  IMAGE_TAG: 'A tag of a container image.',
  IMAGE_SHARE: 'An image that one workspace offers to another.',
  WORKSPACE: 'A workspace.',
  ACCOUNT: 'The account itself.',
  API_KEY: 'An API key.',
  OAUTH_CLIENT: 'A program that asks for access by OAuth.',
  MEMBER: 'What a user or service account may do in the account, or in a workspace.',
  INVITATION: 'An offer to become a member of the account, or of a workspace.',
  USER: 'A user, or a service account.',
  SIGN_IN: 'Somebody who signed in on the pages of this service, or out again, or was not let in.',
  ACCESS: 'What a credential, a user or a program may do: as it was agreed to, or tried and refused.',
  USAGE: 'Usage events that were recorded.',
  BUDGET: 'What an account means to spend.',
  BILLING_DIMENSION: 'A billing dimension of the platform’s own.',
  RESOURCE_TYPE: 'What usage can be of, by a name of the platform’s own.',
  PRICE: 'What a unit of a billing dimension costs from a time on.',
  WEBHOOK: 'An address that changes are sent to.',
  GONE: 'A resource that was gone before the history knew of what kind it was.',
} as const;

export type ChangeKind = keyof typeof changeKinds;

/** The kinds of resources, by the tables that hold them. */
export const kindsByTable = {
  agent: 'AGENT',
  sandbox: 'SANDBOX',
  sandbox_preview: 'SANDBOX_PREVIEW',
  job: 'JOB',
  job_execution: 'JOB_EXECUTION',
  volume: 'VOLUME',
  vpc: 'VPC',
  egress_gateway: 'EGRESS_GATEWAY',
  egress_ip: 'EGRESS_IP',
  image: 'IMAGE',
  image_tag: 'IMAGE_TAG',
  image_share: 'IMAGE_SHARE',
  offered_image_share: 'IMAGE_SHARE',
} as const satisfies Record<string, ChangeKind>;

export type ResourceTable = keyof typeof kindsByTable;

/** The types of GraphQL that are of a kind, for those that have one. */
export const typenames = {
  AGENT: 'Agent',
  SANDBOX: 'Sandbox',
  SANDBOX_PREVIEW: 'SandboxPreview',
  JOB: 'Job',
  JOB_EXECUTION: 'JobExecution',
  VOLUME: 'Volume',
  VPC: 'Vpc',
  EGRESS_GATEWAY: 'EgressGateway',
  EGRESS_IP: 'EgressIp',
  IMAGE: 'Image',
  IMAGE_TAG: 'ImageTag',
  IMAGE_SHARE: 'ImageShare',
  WORKSPACE: 'Workspace',
  ACCOUNT: 'Account',
  API_KEY: 'ApiKey',
  WEBHOOK: 'Webhook',
} as const satisfies Partial<Record<ChangeKind, string>>;

export function typenameOfKind(kind: ChangeKind): string | undefined {
  const known: Partial<Record<ChangeKind, string>> = typenames;
  return known[kind];
}

/** What was done. */
export const changeVerbs = {
  created: 'It was made.',
  updated: 'What it is meant to be was changed.',
  deleted: 'It was removed.',
  status: 'The platform told how it is doing.',
  shared: 'It was offered to another workspace.',
  accepted: 'An offer was taken.',
  declined: 'An offer was turned down.',
  revoked: 'It was taken back.',
  started: 'It was started.',
  cancelled: 'It was stopped on request.',
  voided: 'What was recorded counts no more.',
  amended: 'What was recorded counts otherwise.',
  retired: 'Nothing more of it is taken, but what is of before.',
  crossed: 'What was used, or will be, came to a share of it that was named.',
  refused: 'Somebody tried, and may not; `count` says how often.',
} as const;

export type ChangeVerb = keyof typeof changeVerbs;

/** Who can change something. */
export const actorKinds = {
  user: 'A person.',
  service_account: 'A program that has a name of its own in the account.',
  executor: 'A program of the platform that carries out what is wanted.',
  operator: 'Whoever runs the command line of the service.',
  system: 'The service itself.',
  anonymous: 'Somebody who did not prove who they are.',
} as const;

export type ActorKind = keyof typeof actorKinds;
