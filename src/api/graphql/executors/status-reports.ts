// The desired resources of executors, and their reports on what they deployed.
import { observedStates } from '../../../lifecycle/deployment-states.js';
import { executorKinds, isWorkKind } from '../../../lifecycle/work-kinds.js';
import { changeSubjects } from '../../../changes/change-subjects.js';
import { instancesMax } from '../../../resources/executors/assignments.js';
import { listDesiredResources } from '../../../resources/executors/desired-resources.js';
import type { DesiredResource } from '../../../resources/executors/desired-resources.js';
import { reportStatus } from '../../../resources/executors/status-reports.js';
import { builder } from '../builder.js';
import { connectionComplexity } from '../connection.js';
import { enumValues } from '../enums.js';
import { addMutation } from '../mutation.js';
import { requiresScopes } from '../required-scopes.js';
import { StatusEnum } from '../resource.js';
import { resolveList } from '../resource-list.js';
import { ActionEnum, jsonOf } from './assignments.js';

const KindEnum = builder.enumType('DesiredResourceKind', {
  description: 'A kind of resource that executors keep running.',
  values: Object.fromEntries(
    executorKinds
      .filter(isWorkKind)
      .map((kind) => [kind, { value: kind, description: changeSubjects[kind].description }]),
  ),
});

const generation =
  'Number of the deployment: the `fence` of the claim that led to it, or 0 if no executor deployed the resource.';

const DesiredResourceType = builder.objectRef<DesiredResource>('DesiredResource').implement({
  description: 'A resource in the regions of an executor, as it is desired.',
  fields: (t) => ({
    kind: t.field({ type: KindEnum, nullable: false, resolve: ({ kind }) => kind }),
    resourceId: t.exposeString('resourceId', { nullable: false, description: 'UUID of the resource.' }),
    generation: t.exposeFloat('fence', { nullable: false, description: generation }),
    isOwn: t.exposeBoolean('isOwn', {
      nullable: false,
      description: 'True if the calling executor deployed the resource, or adopted it.',
    }),
    isHeldByOther: t.exposeBoolean('isHeldByOther', {
      nullable: false,
      description: 'True if another executor deployed the resource and is not silent.',
    }),
    action: t.expose('wanted', {
      type: ActionEnum,
      nullable: false,
      description: 'DEPLOY for a resource that is to run.',
    }),
    status: t.expose('status', {
      type: StatusEnum,
      description: 'Deployment status. Null for kinds without a status.',
    }),
    accountId: t.exposeString('accountId', { nullable: false, description: 'UUID of the account.' }),
    workspaceName: t.exposeString('workspace', { nullable: false, description: 'Name of the workspace.' }),
    region: t.exposeString('region', { description: 'Region of the resource, or null if it has no region.' }),
    version: t.exposeInt('version', { nullable: false, description: 'Version of the resource.' }),
    desired: t.field({
      type: 'JSON',
      nullable: false,
      description: 'Desired state of the resource, as in an assignment: with secrets if the action is DEPLOY.',
      resolve: ({ desired }) => jsonOf(desired),
    }),
    replaces: t.field({
      type: 'JSON',
      description: 'Deployed state of the resource, as in an assignment. Null if nothing is deployed.',
      resolve: ({ replaces }) => (replaces === undefined ? null : jsonOf(replaces)),
    }),
  }),
});

builder.queryField('executorAssignments', (t) =>
  t.connection(
    {
      type: DesiredResourceType,
      nullable: true,
      extensions: requiresScopes([['assignments:work']]),
      description:
        'Resources of the kinds and regions of the calling executor, oldest first, also those that it did not deploy. ' +
        'For executors.',
      complexity: connectionComplexity,
      resolve: (_root, args, ctx, info) => resolveList(args, info, (input) => listDesiredResources(ctx, input)),
    },
    { name: 'DesiredResourceConnection', description: 'A page of desired resources.' },
    { name: 'DesiredResourceEdge', description: 'A desired resource and its cursor.' },
  ),
);

const ObservedStateEnum = builder.enumType('ObservedState', {
  description: 'State of a deployed resource, as its executor observes it.',
  values: enumValues(observedStates),
});

addMutation('executorReportStatus', {
  description:
    'Reports what an executor observes of a resource after its deployment. A report of a former generation is a ' +
    'ConflictError `stale_generation`. A report on a resource whose executor is silent or revoked, or that no ' +
    'executor deployed, adopts the resource. Repeating a report is safe. For executors.',
  scopes: [['assignments:work']],
  isIdempotent: true,
  inputDescription: 'The state of a resource that an executor observes.',
  argumentDescription: 'The resource, and its status.',
  input: (t) => ({
    kind: t.field({ type: KindEnum, required: true, description: 'Kind of the resource.' }),
    resourceId: t.string({ required: true, description: 'UUID of the resource.' }),
    generation: t.float({ required: true, description: generation }),
    status: t.field({ type: ObservedStateEnum, required: true, description: 'Observed status.' }),
    message: t.string({
      description: 'Human-readable reason (at most 1024 characters). Must not contain secrets.',
    }),
    instances: t.int({ description: `Number of running instances (0 to ${instancesMax}).` }),
    revision: t.string({ description: 'ID of the running revision.' }),
    image: t.string({ description: 'Image that runs.' }),
    address: t.string({
      description: 'Address of the resource: the `url` of a preview, the `publicIp` of an egress IP.',
    }),
    logsUrl: t.string({ description: 'http:// or https:// URL of the logs (at most 2048 characters).' }),
  }),
  run: (ctx, input) => reportStatus(ctx, input),
  payloadDescription: 'The reported status',
  payload: (t) => ({
    status: t.expose('state', { type: ObservedStateEnum, nullable: false, description: 'Status of the resource.' }),
    generation: t.exposeFloat('generation', {
      nullable: false,
      description: 'Generation for the next report. It is new if the report adopted the resource.',
    }),
  }),
});
