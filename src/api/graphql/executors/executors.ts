import { isPlatformAdmin } from '../../../auth/authorize.js';
import type { ObjectFieldsShape } from '@pothos/core';
import { expiryFields } from '../accounts/api-keys.js';
import { builder } from '../builder.js';
import type { InputFields, Types } from '../builder.js';
import { dryRunArgument } from '../change-arguments.js';
import { addMutation, nonNull } from '../mutation.js';
import { secretRule, shownSecret } from '../shown-secret.js';
import { AssignmentKindEnum } from './assignments.js';
import {
  createExecutor,
  deleteExecutor,
  revokeExecutor,
  updateExecutor,
} from '../../../resources/executors/executor-changes.js';
import { isAssignmentKind } from '../../../lifecycle/work-kinds.js';
import { requiresScopes } from '../required-scopes.js';
import { NamedInterface } from '../named.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { listOrderArgument, resolveList, searchArgument } from '../resource-list.js';
import { executorHealth, executorHealths, listExecutors } from '../../../resources/executors/executors.js';
import type { SeenExecutor } from '../../../resources/executors/executors.js';
import { optionalTimeField, timeField } from '../time-fields.js';

const HealthEnum = builder.enumType('ExecutorHealth', {
  description: 'Health of an executor.',
  values: enumValues(executorHealths),
});

const forPlatform = 'Null unless the caller is an admin of the platform.';

const ExecutorType = builder.objectRef<SeenExecutor>('Executor').implement({
  interfaces: [NamedInterface],
  description: 'A program of the platform that reconciles the desired state.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: false, description: 'Name of the executor.' }),
    health: t.field({
      type: HealthEnum,
      nullable: false,
      resolve: (executor, _args, ctx) => executorHealth(ctx, executor),
    }),
    expiresAt: t.field(optionalTimeField('expiresAt', 'The time its key expires, or null if it does not expire.')),
    createdAt: t.field(timeField('createdAt', 'The time it was registered.')),
    executorId: t.string({
      description: `Identifier (UUID). ${forPlatform}`,
      resolve: ({ id }, _args, ctx) => (isPlatformAdmin(ctx) ? id : null),
    }),
    regions: t.stringList({
      nullable: { list: true, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: `Names of the regions that it serves, or \`*\` for all resources. ${forPlatform}`,
      resolve: ({ regions }, _args, ctx) => (isPlatformAdmin(ctx) ? [...regions] : null),
    }),
    kinds: t.field({
      type: [AssignmentKindEnum],
      nullable: { list: true, items: false },
      complexity: { field: 1, multiplier: 1 },
      description: `Kinds of work that it claims. ${forPlatform}`,
      resolve: ({ kinds }, _args, ctx) => (isPlatformAdmin(ctx) ? kinds.filter(isAssignmentKind) : null),
    }),
    keyPrefix: t.string({
      description: `Start of its key, to recognize it. ${forPlatform}`,
      resolve: ({ prefix }, _args, ctx) => (isPlatformAdmin(ctx) ? prefix : null),
    }),
    lastSeenAt: t.field({
      type: 'DateTime',
      description: `The time of its last request; null also if there was none. ${forPlatform}`,
      resolve: ({ lastSeenAt }, _args, ctx) => (isPlatformAdmin(ctx) ? lastSeenAt?.toISOString() : null),
    }),
    revokedAt: t.field(optionalTimeField('revokedAt', 'The time it was revoked, or null if it is not revoked.')),
    addressRanges: t.stringList({
      nullable: { list: true, items: false },
      complexity: { field: 1, multiplier: 1 },
      description:
        'CIDR ranges that its key may be used from. Empty: any address. Null unless the caller is an admin of the ' +
        'platform, because they describe its network.',
      resolve: ({ addressRanges }, _args, ctx) => (isPlatformAdmin(ctx) ? [...addressRanges] : null),
    }),
  }),
});

builder.queryField('executors', (t) =>
  t.connection(
    {
      type: ExecutorType,
      nullable: true,
      extensions: requiresScopes([['admin']]),
      description:
        'Executors in the regions that the account can use, without revoked ones. With `all`, all executors. Needs an ' +
        'admin of the account.',
      args: {
        ...listOrderArgument,
        ...searchArgument('name'),
        all: t.arg.boolean({
          description: 'Lists all executors, also revoked ones (default: false). Needs an admin of the platform.',
        }),
      },
      complexity: connectionComplexity,
      resolve: (_root, { all, ...args }, ctx, info) =>
        resolveList(args, info, (input) => listExecutors(ctx, { ...input, isOfAll: all === true })),
    },
    { name: 'ExecutorConnection', description: 'A page of executors.' },
    { name: 'ExecutorEdge', description: 'An executor and its cursor.' },
  ),
);

const named = (t: InputFields) => ({
  ...dryRunArgument(t),
  name: t.string({ required: true, description: 'Name of the executor.' }),
});

const executorField: ObjectFieldsShape<Types, { executor: SeenExecutor }> = (t) => ({
  executor: t.expose('executor', nonNull(ExecutorType, 'The executor.')),
});

addMutation('createExecutor', {
  description:
    'Registers an executor. From then on, created and updated resources of its kinds in its regions wait for it. Needs ' +
    'an admin of the platform.',
  scopes: [['admin']],
  inputDescription: 'The executor to register.',
  input: (t) => ({
    ...dryRunArgument(t),
    name: t.string({
      required: true,
      description: 'Name, unique among all executors (lowercase letters, digits and hyphens; at most 49 characters).',
    }),
    regions: t.stringList({
      required: true,
      description: 'Names of the regions that it serves, or `*` for all resources, with or without a region.',
    }),
    kinds: t.field({ type: [AssignmentKindEnum], required: true, description: 'Kinds of work that it claims.' }),
    addressRanges: t.stringList({
      description: 'CIDR ranges that its key may be used from, such as 203.0.113.0/24. Omitted: any address.',
    }),
    ...expiryFields(t, 'after the default lifetime of the service (days)'),
  }),
  run: async (ctx, input) => {
    const { executor, key } = await createExecutor(ctx, input);
    return { executor, secret: shownSecret(input, key) };
  },
  payloadDescription: 'The registered executor',
  payload: (t) => ({
    executor: t.expose('executor', nonNull(ExecutorType, 'The executor.')),
    secret: t.exposeString('secret', { nullable: false, description: `The key of the executor. ${secretRule}` }),
  }),
});

addMutation('updateExecutor', {
  description: 'Changes when the key of an executor expires, and from where it works. Needs an admin of the platform.',
  scopes: [['admin']],
  inputDescription: 'The executor, and the new values. An absent field keeps its value.',
  input: (t) => ({
    ...named(t),
    addressRanges: t.stringList({
      description: 'New CIDR ranges that its key may be used from. An empty list: any address.',
    }),
    expiresAt: t.field({ type: 'DateTime', description: 'The new time its key expires.' }),
    neverExpires: t.boolean({
      description:
        'Makes its key never expire, if the service allows it (default: false). Not together with `expiresAt`.',
    }),
  }),
  run: async (ctx, input) => ({ executor: await updateExecutor(ctx, input) }),
  payloadDescription: 'The updated executor',
  payload: executorField,
});

addMutation('revokeExecutor', {
  description:
    'Revokes an executor: its key stops working within one second, and its leases end. Needs an admin of the platform.',
  scopes: [['admin']],
  inputDescription: 'The executor to revoke.',
  input: named,
  run: async (ctx, input) => ({ executor: await revokeExecutor(ctx, input) }),
  payloadDescription: 'The revoked executor',
  payload: executorField,
});

addMutation('deleteExecutor', {
  description: 'Deletes a revoked executor. Needs an admin of the platform.',
  scopes: [['admin']],
  inputDescription: 'The executor to delete.',
  input: named,
  run: async (ctx, input) => ({ executor: await deleteExecutor(ctx, input) }),
  payloadDescription: 'The deleted executor',
  payload: executorField,
});
