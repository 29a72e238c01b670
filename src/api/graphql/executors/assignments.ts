import type { Json } from '../builder.js';
import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { addMutation, nonNull } from '../mutation.js';
import { inputFields } from '../shape-input.js';
import { timestampFromJson } from '../../../schema/resource.js';
import { assignmentId } from '../../../lifecycle/assignment.js';
import { deploymentStates, deploymentWork } from '../../../lifecycle/deployment-states.js';
import { taskStates } from '../../../lifecycle/execution-states.js';
import { executorKinds, isAssignmentKind } from '../../../lifecycle/work-kinds.js';
import {
  claimAssignments,
  claimBounds,
  instancesMax,
  releaseAssignment,
  reportAssignment,
} from '../../../resources/executors/assignments.js';
import type { Handed } from '../../../resources/executors/desired.js';
import { taskReport } from '../../../resources/executors/task-report.js';
import { changeSubjects } from '../../../changes/change-subjects.js';

const workKindNames = executorKinds.filter(isAssignmentKind);

export const AssignmentKindEnum = builder.enumType('AssignmentKind', {
  description: 'The kind of work of an assignment.',
  values: Object.fromEntries(
    workKindNames.map((kind) => [kind, { value: kind, description: changeSubjects[kind].description }]),
  ),
});

export const ActionEnum = builder.enumType('AssignmentAction', {
  description: 'The action that an executor has to perform.',
  values: enumValues({
    deploy: deploymentWork.deploy.description,
    deactivate: deploymentWork.deactivate.description,
    delete: deploymentWork.delete.description,
    run: 'Run a task of an execution, or invoke an agent once.',
  }),
});

const StateEnum = builder.enumType('AssignmentState', {
  description: 'Status of an assignment, as an executor reports it.',
  values: enumValues({
    ...taskStates,
    ...deploymentStates,
    FAILED: 'The assignment failed permanently, or the executor abandoned it.',
  }),
});

const fence = 'Fencing token of the claim: an integer that only increases.';

const AssignmentType = builder.objectRef<Handed>('Assignment').implement({
  description: 'A unit of work that an executor has claimed.',
  fields: (t) => ({
    id: t.id({ nullable: false, description: 'ID of the assignment, for reports.', resolve: assignmentId }),
    fence: t.exposeFloat('fence', { nullable: false, description: fence }),
    leaseUntil: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'The time the lease expires (database clock). Each report extends the lease.',
      resolve: ({ leaseUntil }) => timestampFromJson(leaseUntil),
    }),
    attempt: t.exposeInt('attempt', { nullable: false, description: 'Number of the attempt, starting at 1.' }),
    kind: t.field({ type: AssignmentKindEnum, nullable: false, resolve: ({ kind }) => kind }),
    action: t.expose('wanted', { type: ActionEnum, nullable: false }),
    resourceId: t.exposeString('resourceId', { nullable: false, description: 'UUID of the resource.' }),
    accountId: t.exposeString('accountId', { nullable: false, description: 'UUID of the account.' }),
    workspaceName: t.exposeString('workspace', { nullable: false, description: 'Name of the workspace.' }),
    region: t.exposeString('region', { description: 'Region of the resource, or null if it has no region.' }),
    version: t.exposeInt('version', { description: 'Version of the resource, or null if it is deleted.' }),
    desired: t.field({
      type: 'JSON',
      nullable: false,
      description:
        'Desired state of the resource: `metadata` and `spec`, including secrets if the resource has to run. For a ' +
        'task: the job as the execution has it, and `task`. For an invocation: the agent, and `invocation`.',
      resolve: ({ desired }) => jsonOf(desired),
    }),
    replaces: t.field({
      type: 'JSON',
      description:
        'Deployed state of the resource: `version`, `spec`, `revision`, `image`, `address`. Null if nothing is ' +
        'deployed.',
      resolve: ({ replaces }) => (replaces === undefined ? null : jsonOf(replaces)),
    }),
  }),
});

/** Removes undefined values, which JSON does not have. */
export function jsonOf(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}

const LeaseInput = builder.inputType('AssignmentLeaseInput', {
  description: 'A claimed assignment that the executor still works on.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'ID of the assignment.' }),
    fence: t.float({ required: true, description: fence }),
  }),
});

const { firstMax, leaseSecondsMin, leaseSecondsMax, leaseSecondsDefault, waitSecondsMax, heldMax, delaySecondsMax } =
  claimBounds;
const lease = `Duration of the lease without a further report (seconds, ${leaseSecondsMin} to ${leaseSecondsMax}; default: ${leaseSecondsDefault}).`;

addMutation('executorClaimAssignments', {
  description: 'Claims work in the regions of the executor. Each assignment goes to one executor. For executors.',
  scopes: [['assignments:work']],
  isIdempotent: true,
  inputDescription: 'The number of assignments to claim, and the duration of the lease.',
  input: (t) => ({
    first: t.int({ required: true, description: `Maximum number of assignments to claim (1 to ${firstMax}).` }),
    leaseSeconds: t.int({ description: lease }),
    waitSeconds: t.int({
      description: `Maximum time to wait for work (seconds, 0 to ${waitSecondsMax}; default: 0).`,
    }),
    leases: t.field({
      type: [LeaseInput],
      description: `Assignments that the executor still works on (at most ${heldMax}). A lost lease is returned in \`lost\` and ends the wait.`,
    }),
  }),
  complexity: ({ input }) => ({ field: 1, multiplier: Math.min(Math.max(input.first, 1), firstMax) }),
  run: (ctx, input) => claimAssignments(ctx, input),
  payloadDescription: 'The claimed assignments',
  payload: (t) => ({
    assignments: t.expose('assignments', {
      type: [AssignmentType],
      nullable: { list: false, items: false },
      description:
        'Claimed assignments, oldest first within a kind and region. The kind and region whose oldest assignment has ' +
        'waited longest come first. Empty if there is no work.',
    }),
    lost: t.exposeIDList('lost', {
      nullable: { list: false, items: false },
      description: 'Assignments of `leases` whose lease is lost. Stop them, and send no further reports.',
    }),
    stopping: t.exposeIDList('stopping', {
      nullable: { list: false, items: false },
      description: 'Assignments of `leases` to stop. Stop them, and report CANCELLED.',
    }),
  }),
});

addMutation('executorReportAssignment', {
  description:
    'Reports the status of an assignment, and extends its lease. Repeating a report is safe. If the lease is ' +
    'lost, the result is a ConflictError `lease_lost`. For executors.',
  scopes: [['assignments:work']],
  isIdempotent: true,
  inputDescription: 'A status report on an assignment.',
  argumentDescription: 'The assignment, and its status.',
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the assignment.' }),
    fence: t.float({ required: true, description: fence }),
    state: t.field({
      type: StateEnum,
      description: 'New status of the assignment. Omitted: unchanged; the report only extends the lease.',
    }),
    message: t.string({
      description: 'Human-readable message (at most 1024 characters). Must not contain secrets.',
    }),
    revision: t.string({ description: 'ID of the created revision.' }),
    image: t.string({ description: 'Image that was built.' }),
    address: t.string({
      description: 'Address of the resource: the `url` of a preview, the `publicIp` of an egress IP.',
    }),
    logsUrl: t.string({
      description:
        'http:// or https:// URL of the logs (at most 2048 characters). Kept for agents, sandboxes and tasks, until ' +
        'another one is reported.',
    }),
    instances: t.int({ description: `Number of running instances (0 to ${instancesMax}).` }),
    ...inputFields(t, taskReport),
    leaseSeconds: t.int({ description: lease }),
  }),
  run: (ctx, input) => reportAssignment(ctx, input),
  payloadDescription: 'The status of the reported assignment',
  payload: (t) => ({
    state: t.expose('state', nonNull(StateEnum, 'Status of the assignment.')),
    stop: t.boolean({
      nullable: false,
      description: 'True if the assignment has to stop. Stop the work, and report CANCELLED.',
      resolve: (reported) => 'stop' in reported && reported.stop,
    }),
    leaseUntil: t.field({
      type: 'DateTime',
      description: 'The time the lease expires, or null if no work is left.',
      resolve: ({ leaseUntil }) => leaseUntil && timestampFromJson(leaseUntil),
    }),
  }),
});

addMutation('executorReleaseAssignment', {
  description: 'Releases an assignment, so that any executor can claim it. For executors.',
  scopes: [['assignments:work']],
  isIdempotent: true,
  inputDescription: 'The assignment to release.',
  input: (t) => ({
    id: t.id({ required: true, description: 'ID of the assignment.' }),
    fence: t.float({ required: true, description: fence }),
    delaySeconds: t.int({
      description: `Delay before the assignment can be claimed again (seconds, 0 to ${delaySecondsMax}; default: 0).`,
    }),
  }),
  run: async (ctx, input) => {
    await releaseAssignment(ctx, input);
    return { id: input.id };
  },
  payloadDescription: 'The released assignment',
  payload: (t) => ({ id: t.exposeID('id', { nullable: false, description: 'ID of the assignment.' }) }),
});
