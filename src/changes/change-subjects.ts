// The enums of the change log. Values are only ever added.
import type { Scope } from '../auth/scopes.js';
import { eachKind, isSpelling, kindSpelled, resourceKinds } from '../resource-kinds.js';
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
  GROUP_ROLE: {
    description: 'The role of a group of an identity provider in the account or in a workspace.',
    scope: 'admin',
    isOfAccount: true,
  },
  GROUP: {
    description: 'A group that an identity provider provisions.',
    scope: 'admin',
    isOfAccount: true,
  },
  INVITATION: {
    description: 'An invitation to the account or to a workspace.',
    scope: 'invitations:list',
    isOfAccount: true,
  },
  USER: { description: 'A user or a service account.', scope: 'admin', isOfAccount: true },
  EXECUTOR: { description: 'An executor of the platform.', scope: 'admin', isOfAccount: true },
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
  QUOTA: { description: 'The quotas of an account, a workspace, a region or a plan.', scope: 'admin' },
  BILLING_DIMENSION: { description: 'A custom billing dimension.', scope: 'admin' },
  RESOURCE_TYPE: { description: 'A custom resource type of usage events.', scope: 'admin' },
  PRICE: { description: 'The price of a unit of a billing dimension from a point in time onwards.', scope: 'admin' },
  WEBHOOK: { description: 'A webhook endpoint.', scope: 'admin', typeName: 'Webhook' },
  DELETED_RESOURCE: {
    description: 'A resource that was deleted before the change log recorded its kind.',
    scope: 'admin',
  },
} as const satisfies Record<string, { description: string; scope: Scope; typeName?: string; isOfAccount?: true }>;

type OtherSubject = keyof typeof otherSubjects;

export type ChangeKind = ResourceKindName | OtherSubject;

interface Subject {
  description: string;
  /** The scope that reads its changes: the one that reads the subject itself. */
  scope: Scope;
  /** GraphQL type of the subject, if it has one. */
  typeName?: string;
  /** Only admins of the account see its changes, in any workspace. */
  isOfAccount?: true;
}

/** All subjects of changes. */
export const changeSubjects: Readonly<Record<ChangeKind, Subject>> = {
  ...eachKind((kind) => ({
    description: resourceKinds[kind].description,
    scope: resourceKinds[kind].scopes.get,
    typeName: resourceKinds[kind].typeName,
  })),
  ...otherSubjects,
};

export const isKind = (word: string): word is ChangeKind => Object.hasOwn(changeSubjects, word);

export const allKinds: readonly ChangeKind[] = Object.keys(changeSubjects).filter(isKind);

/** The kind that a person names, in any spelling: `API_KEY`, `api-keys`, `ApiKey`. */
export function changeKindSpelled(typed: string): ChangeKind | undefined {
  return kindSpelled(typed) ?? allKinds.find((kind) => isSpelling(typed, kind));
}

/** The name of a kind as people read it: `ApiKey`, the same form as in manifests. */
export function changeKindName(kind: ChangeKind): string {
  return (
    changeSubjects[kind].typeName ??
    kind.toLowerCase().replaceAll(/(?:^|_)([a-z])/g, (_separator, letter: string) => letter.toUpperCase())
  );
}

/** The actions of changes. */
export const changeActions = {
  created: 'Created.',
  updated: 'Desired state updated.',
  deleted: 'Deleted.',
  status: 'Status reported by the platform.',
  shared: 'Offered to another workspace.',
  accepted: 'Offer accepted.',
  declined: 'Offer declined.',
  revoked: 'Revoked.',
  started: 'Started.',
  cancelled: 'Cancelled on request.',
  voided: 'Voided: the recorded usage no longer counts.',
  amended: 'Amended: the recorded usage counts with its new values.',
  retired: 'Retired: new usage is rejected, and usage dated before the retirement is still accepted.',
  threshold_reached: 'The cost of a budget, or the use of a quota, reached a threshold.',
  denied: 'Request denied. `count` is the number of attempts.',
  read: 'Secret read by a caller. `count` is the number of reads.',
} as const;

export type ChangeAction = keyof typeof changeActions;

/** The kinds of actors. */
export const actorKinds = {
  user: 'A user.',
  service_account: 'A service account: a program with its own name in the account.',
  executor: 'An executor: a program of the platform that reconciles the desired state.',
  operator: 'An operator, who runs the command line of the service.',
  system: 'The service itself.',
  anonymous: 'An unauthenticated caller.',
} as const;

export type ActorKind = keyof typeof actorKinds;
