// The closed lists of the change log. They only grow.
import type { Scope } from '../auth/scopes.js';
import { eachKind, resourceKinds } from '../resource-kinds.js';
import type { ResourceKindName } from '../resource-kinds.js';

/** The subjects of changes besides resources. Only admins of the account see changes with `isOfAccount`, in any workspace. */
const otherSubjects = {
  AGENT_INVOCATION: { description: 'A run of an agent that one of its cron triggers started.', scope: 'agents:get' },
  WORKSPACE: { description: 'A workspace.', scope: 'workspaces:get', typeName: 'Workspace' },
  ACCOUNT: { description: 'The account itself.', scope: 'admin', typeName: 'Account', isOfAccount: true },
  API_KEY: { description: 'An API key.', scope: 'apiKey:list', typeName: 'ApiKey', isOfAccount: true },
  OAUTH_CLIENT: { description: 'An OAuth client.', scope: 'admin', isOfAccount: true },
  MEMBER: {
    description: 'A membership: the role of a user or service account in the account or in a workspace.',
    scope: 'admin',
    isOfAccount: true,
  },
  INVITATION: {
    description: 'An invitation to the account or to a workspace.',
    scope: 'invitations:list',
    isOfAccount: true,
  },
  USER: { description: 'A user or a service account.', scope: 'admin', isOfAccount: true },
  SIGN_IN: {
    description: 'A sign-in or sign-out on the pages of this service, or a rejected sign-in.',
    scope: 'admin',
    isOfAccount: true,
  },
  ACCESS: {
    description: 'Access of a credential, user or OAuth client: a consent, or a request that was denied.',
    scope: 'admin',
    isOfAccount: true,
  },
  USAGE: { description: 'Recorded usage events.', scope: 'admin' },
  BUDGET: { description: 'A budget of an account.', scope: 'admin' },
  BILLING_DIMENSION: { description: 'A custom billing dimension.', scope: 'admin' },
  RESOURCE_TYPE: { description: 'A custom resource type of usage events.', scope: 'admin' },
  PRICE: { description: 'The price of a unit of a billing dimension from a point in time onwards.', scope: 'admin' },
  WEBHOOK: { description: 'A webhook endpoint.', scope: 'admin', typeName: 'Webhook' },
  GONE: { description: 'A resource that was deleted before the change log recorded its kind.', scope: 'admin' },
} as const satisfies Record<string, { description: string; scope: Scope; typeName?: string; isOfAccount?: true }>;

type OtherSubject = keyof typeof otherSubjects;

export type ChangeKind = ResourceKindName | OtherSubject;

interface Subject {
  description: string;
  /** The scope that reads changes of it: the one by which `node` returns it. */
  scope: Scope;
  /** Its GraphQL type, if it has one. */
  typeName?: string;
  /** Only admins of the account see its changes, in any workspace. */
  isOfAccount?: true;
}

/** Everything that a change can be about. */
export const changeSubjects: Readonly<Record<ChangeKind, Subject>> = {
  ...eachKind((kind) => ({
    description: resourceKinds[kind].description,
    scope: resourceKinds[kind].scopes.get,
    typeName: resourceKinds[kind].typeName,
  })),
  ...otherSubjects,
};

const isKind = (word: string): word is ChangeKind => Object.hasOwn(changeSubjects, word);

export const allKinds: readonly ChangeKind[] = Object.keys(changeSubjects).filter(isKind);

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
  read: 'A caller read a secret; `count` says how often.',
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
