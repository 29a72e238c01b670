import type { Json } from '../builder.js';
import { builder } from '../builder.js';
import { enumValues } from '../enums.js';
import { resultOf, resultType } from '../mutation.js';
import { inputFields } from '../shape-input.js';
import { timestampFromJson } from '../../../schema/resource.js';
import { assignmentId } from '../../../lifecycle/assignment.js';
import { deploymentStates, deploymentWork } from '../../../lifecycle/deployment-states.js';
import { taskStates } from '../../../lifecycle/execution-states.js';
import type { ReportedTask } from '../../../lifecycle/task-report.js';
import { executorKinds, isAssignmentKind } from '../../../lifecycle/work-kinds.js';
import type { Reported } from '../../../lifecycle/report.js';
import {
  claimAssignments,
  claimBounds,
  releaseAssignment,
  reportAssignment,
} from '../../../resources/executors/assignments.js';
import type { Claims } from '../../../resources/executors/assignments.js';
import type { Handed } from '../../../resources/executors/desired.js';
import { taskReport } from '../../../resources/executors/task-report.js';
import { changeSubjects } from '../../../changes/change-words.js';

const workKindNames = executorKinds.filter(isAssignmentKind);

const KindEnum = builder.enumType('AssignmentKind', {
  description: 'What an assignment is about.',
  values: Object.fromEntries(
    workKindNames.map((kind) => [kind, { value: kind, description: changeSubjects[kind].description }]),
  ),
});

const WantedEnum = builder.enumType('AssignmentWanted', {
  description: 'What an executor is to do.',
  values: enumValues({
    deploy: deploymentWork.deploy.description,
    deactivate: deploymentWork.deactivate.description,
    delete: deploymentWork.delete.description,
    run: 'Run a task of an execution, or an agent once.',
  }),
});

const StateEnum = builder.enumType('AssignmentState', {
  description: 'How far an assignment has come.',
  values: enumValues({ ...taskStates, ...deploymentStates, FAILED: 'It was given up, or failed for good.' }),
});

const fence = 'The number of the claim: a whole number that only grows.';

const AssignmentType = builder.objectRef<Handed>('Assignment').implement({
  description: 'Something that an executor has claimed, to carry it out.',
  fields: (t) => ({
    id: t.id({ nullable: false, description: 'What it is reported under.', resolve: assignmentId }),
    fence: t.exposeFloat('fence', { nullable: false, description: fence }),
    leaseUntil: t.field({
      type: 'DateTime',
      nullable: false,
      description: 'Until when it is held, by the clock of the database. Each report extends it.',
      resolve: ({ leaseUntil }) => timestampFromJson(leaseUntil),
    }),
    attempt: t.exposeInt('attempt', { nullable: false, description: 'Which try this is, from 1.' }),
    kind: t.field({ type: KindEnum, nullable: false, resolve: ({ kind }) => kind }),
    wanted: t.expose('wanted', { type: WantedEnum, nullable: false }),
    resourceId: t.exposeString('resourceId', { nullable: false, description: 'UUID of the resource.' }),
    account: t.exposeString('accountId', { nullable: false, description: 'UUID of the account.' }),
    workspace: t.exposeString('workspace', { nullable: false, description: 'Name of the workspace.' }),
    region: t.exposeString('region', { description: 'Where; null for what is in no region.' }),
    version: t.exposeInt('version', { description: 'Version of the resource; null once it is gone.' }),
    desired: t.field({
      type: 'JSON',
      nullable: false,
      description:
        'The resource as it is wanted: `metadata` and `spec`, with its secrets where it is to run. Of a task it is the job as ' +
        'this execution has it, and `task` beside it; of an invocation it is the agent, and `invocation` beside it.',
      resolve: ({ desired }) => jsonOf(desired),
    }),
    replaces: t.field({
      type: 'JSON',
      description: 'What of it is out there: `version`, `spec`, `revision`, `image`, `address`; null where nothing is.',
      resolve: ({ replaces }) => (replaces === undefined ? null : jsonOf(replaces)),
    }),
  }),
});

/** Without what is undefined, which JSON does not have. */
function jsonOf(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}

const ClaimResult = resultType<Claims>('ClaimAssignments', 'What claimAssignments took', (t) => ({
  assignments: t.expose('assignments', {
    type: [AssignmentType],
    nullable: { list: false, items: false },
    description: 'The oldest first; empty when there was nothing to do.',
  }),
  lost: t.exposeIDList('lost', {
    nullable: { list: false, items: false },
    description: 'Those of `held` that are lost: stop them, and report nothing more of them.',
  }),
  stopping: t.exposeIDList('stopping', {
    nullable: { list: false, items: false },
    description: 'Those of `held` that are to be stopped: stop them, and report CANCELLED.',
  }),
}));

const HeldInput = builder.inputType('HeldAssignmentInput', {
  description: 'A claim that the executor still works on.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its id.' }),
    fence: t.float({ required: true, description: fence }),
  }),
});

const { firstMax, leaseSecondsMin, leaseSecondsMax, leaseSecondsDefault, waitSecondsMax, heldMax, delaySecondsMax } =
  claimBounds;
const lease = `Seconds that it is held without a further report: ${leaseSecondsMin} to ${leaseSecondsMax}; ${leaseSecondsDefault} when left out.`;

const ClaimInput = builder.inputType('ClaimAssignmentsInput', {
  description: 'How much to claim, and for how long.',
  fields: (t) => ({
    first: t.int({ required: true, description: `How many at most: 1 to ${firstMax}.` }),
    leaseSeconds: t.int({ description: lease }),
    waitSeconds: t.int({
      description: `How long to wait when there is nothing to do: 0 to ${waitSecondsMax}; 0 when left out.`,
    }),
    held: t.field({
      type: [HeldInput],
      description: `Claims still worked on, ${heldMax} at most: those that are lost are told, and end the waiting.`,
    }),
  }),
});

builder.mutationField('claimAssignments', (t) =>
  t.field({
    type: ClaimResult,
    nullable: false,
    description:
      'Claims what there is to do in the regions of the executor, each thing for one of them. For executors: needs the ' +
      'scope assignments:work.',
    extensions: { isIdempotent: true },
    complexity: ({ input }) => ({ field: 1, multiplier: Math.min(Math.max(input.first, 1), firstMax) }),
    args: { input: t.arg({ type: ClaimInput, required: true, description: 'How much, and for how long.' }) },
    resolve: (_root, { input }, ctx) => resultOf(() => claimAssignments(ctx, input)),
  }),
);

const ReportResult = resultType<Reported | ReportedTask>('ReportAssignment', 'What reportAssignment noted', (t) => ({
  state: t.expose('state', { type: StateEnum, nullable: false, description: 'How far it has come.' }),
  stop: t.boolean({
    nullable: false,
    description: 'Whether it is to be stopped: stop it, and report CANCELLED.',
    resolve: (reported) => 'stop' in reported && reported.stop,
  }),
  leaseUntil: t.field({
    type: 'DateTime',
    description: 'Until when it is held now; null when nothing is left to do.',
    resolve: ({ leaseUntil }) => leaseUntil && timestampFromJson(leaseUntil),
  }),
}));

const ReportInput = builder.inputType('ReportAssignmentInput', {
  description: 'How an assignment is doing.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its id.' }),
    fence: t.float({ required: true, description: fence }),
    state: t.field({ type: StateEnum, description: 'What it has come to. Left out: the same as before; it lives.' }),
    message: t.string({
      description: 'What to tell of it, for people; at most 1024 characters. It must hold no secret.',
    }),
    revision: t.string({ description: 'Id of the revision that was made of it.' }),
    image: t.string({ description: 'Image that was built of it.' }),
    address: t.string({ description: 'Where it is reached: the `url` of a preview, the `publicIp` of an egress IP.' }),
    ...inputFields(t, taskReport),
    leaseSeconds: t.int({ description: lease }),
  }),
});

builder.mutationField('reportAssignment', (t) =>
  t.field({
    type: ReportResult,
    nullable: false,
    description:
      'Says how an assignment is doing, and extends its lease. The same report again is harmless; one of a claim that ' +
      'is lost is a ConflictError `lease_lost`. For executors: needs the scope assignments:work.',
    extensions: { isIdempotent: true },
    args: { input: t.arg({ type: ReportInput, required: true, description: 'Which one, and how it is doing.' }) },
    resolve: (_root, { input }, ctx) => resultOf(() => reportAssignment(ctx, input)),
  }),
);

const ReleaseResult = resultType<{ id: string }>('ReleaseAssignment', 'What releaseAssignment gave back', (t) => ({
  id: t.exposeID('id', { nullable: false, description: 'Its id.' }),
}));

const ReleaseInput = builder.inputType('ReleaseAssignmentInput', {
  description: 'Which assignment to give back.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Its id.' }),
    fence: t.float({ required: true, description: fence }),
    delaySeconds: t.int({
      description: `How long nobody is to claim it: 0 to ${delaySecondsMax} seconds; 0 when left out.`,
    }),
  }),
});

builder.mutationField('releaseAssignment', (t) =>
  t.field({
    type: ReleaseResult,
    nullable: false,
    description: 'Gives an assignment back, to be claimed by anybody. For executors: needs the scope assignments:work.',
    extensions: { isIdempotent: true },
    args: { input: t.arg({ type: ReleaseInput, required: true, description: 'Which one.' }) },
    resolve: (_root, { input }, ctx) =>
      resultOf(async () => {
        await releaseAssignment(ctx, input);
        return { id: input.id };
      }),
  }),
);
