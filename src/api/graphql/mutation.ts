// Mutations take one input, and return a payload or an error as data: errors of the caller are part of
// the schema. Errors of the service remain errors of the request.
import type { InputFieldMap, InputShapeFromFields, ObjectFieldsShape } from '@pothos/core';
import { forgetReads } from '../../auth/context.js';
import type { ServiceContext } from '../../http/open-context.js';
import { apiErrorFrom } from '../../database/failures.js';
import type { ErrorCode, ProblemCode } from '../../error-codes.js';
import type { ConflictState, ExceededLimit, Problem } from '../../errors.js';
import { isKind } from '../../changes/change-subjects.js';
import type { ChangeKind } from '../../changes/change-subjects.js';
import { responseFromText } from '../../store/write/stored-response.js';
import { builder } from './builder.js';
import type { InputFields, Types } from './builder.js';
import { KindEnum } from './changes/change-filter.js';
import { ErrorCodeEnum, ProblemCodeEnum } from './error-codes.js';
import { runOnce } from './idempotent-mutation.js';
import { requiresScopes } from './required-scopes.js';
import type { RequiredScopes } from './required-scopes.js';
import { optionalTimeField } from './time-fields.js';

interface MutationError extends ConflictState, Partial<ExceededLimit> {
  code: ErrorCode;
  message: string;
  path: string[] | undefined;
  problems: readonly (Omit<Problem, 'code'> & { code: ErrorCode | ProblemCode })[];
}

const MutationErrorInterface = builder.interfaceRef<MutationError>('Error').implement({
  description: 'An error, due to which a mutation changed nothing.',
  fields: (t) => ({
    code: t.expose('code', {
      type: ErrorCodeEnum,
      nullable: false,
      description: 'Error code, the same as in the REST API.',
    }),
    message: t.exposeString('message', { nullable: false, description: 'Human-readable error message.' }),
    path: t.exposeStringList('path', {
      description: 'Path of the input field that caused the error, or null if no field did.',
    }),
  }),
});

function errorType(name: string, description: string) {
  return builder.objectRef<MutationError>(name).implement({ description, interfaces: [MutationErrorInterface] });
}

const ProblemType = builder.objectRef<MutationError['problems'][number]>('InputProblem').implement({
  description: 'A problem with an input field.',
  fields: (t) => ({
    path: t.exposeStringList('path', {
      nullable: false,
      description: 'Path of the field within the input. List items are numbered from 0.',
    }),
    code: t.expose('code', { type: ProblemCodeEnum, nullable: false, description: 'Code of the problem.' }),
    message: t.exposeString('message', {
      nullable: false,
      description: 'Human-readable message with the field and the rule.',
    }),
    limit: t.exposeFloat('limit', {
      description:
        'Minimum or maximum that the field violates, for too_small, too_large, too_short and too_long: a number, or ' +
        'the size of a text (characters), list (items) or spec (bytes as JSON). Null for other codes.',
    }),
    actual: t.exposeFloat('actual', {
      description: 'Number or size in the input, to compare with the limit. Null without a limit.',
    }),
  }),
});

const InvalidInputError = builder.objectRef<MutationError>('InvalidInputError').implement({
  description: 'The input is invalid.',
  interfaces: [MutationErrorInterface],
  fields: (t) => ({
    problems: t.expose('problems', {
      type: [ProblemType],
      nullable: { list: false, items: false },
      description: 'All problems of the input.',
    }),
  }),
});

const ForbiddenError = errorType('ForbiddenError', 'The caller does not have permission.');
const NotFoundError = errorType('NotFoundError', 'The resource does not exist, or is not accessible to the caller.');
interface OfKind {
  kind: ChangeKind;
}

const hasKind = <Item extends { kind: string }>(item: Item): item is Item & OfKind => isKind(item.kind);

const ResourceUserType = builder.objectRef<OfKind & { name: string }>('ResourceUser').implement({
  description: 'A resource that uses another resource.',
  fields: (t) => ({
    kind: t.expose('kind', { type: KindEnum, nullable: false, description: 'Kind of the resource.' }),
    name: t.exposeString('name', { nullable: false, description: 'Name of the resource.' }),
  }),
});

const ContentCountType = builder.objectRef<OfKind & { count: number }>('ContentCount').implement({
  description: 'Number of resources of one kind in a workspace.',
  fields: (t) => ({
    kind: t.expose('kind', { type: KindEnum, nullable: false, description: 'Kind of the resources.' }),
    count: t.exposeInt('count', { nullable: false, description: 'Number of resources.' }),
  }),
});

const ConflictError = builder.objectRef<MutationError>('ConflictError').implement({
  description: 'The request conflicts with the current state.',
  interfaces: [MutationErrorInterface],
  fields: (t) => ({
    currentVersion: t.exposeInt('currentVersion', {
      description: 'Current version. Null unless the code is version_mismatch.',
    }),
    updatedBy: t.exposeString('updatedBy', {
      description: 'User or service account of the last change. Null unless the code is version_mismatch.',
    }),
    updatedAt: t.field(
      optionalTimeField('updatedAt', 'Time of the last change. Null unless the code is version_mismatch.'),
    ),
    changedFields: t.exposeStringList('changedFields', {
      description:
        'Paths of the fields that changed after `ifVersion`, such as `spec.enabled`. Null unless the code is ' +
        'version_mismatch.',
    }),
    usedBy: t.field({
      type: [ResourceUserType],
      nullable: { list: true, items: false },
      description:
        'Resources that use the resource, ordered by kind and name (the first 20). Null unless the code is in_use.',
      resolve: ({ usedBy }) => usedBy?.filter(hasKind),
    }),
    usedByCount: t.exposeInt('usedByCount', {
      description: 'Number of resources that use the resource. Null unless the code is in_use.',
    }),
    contents: t.field({
      type: [ContentCountType],
      nullable: { list: true, items: false },
      description: 'Resources by kind in the workspace to delete. Null unless the code is not_deletable.',
      resolve: ({ contents }) => contents?.filter(hasKind),
    }),
    limit: t.exposeFloat('limit', {
      description: 'Limit of the account, workspace or region. Null unless the change would exceed it.',
    }),
    actual: t.exposeFloat('actual', {
      description: 'Use after the change, to compare with the limit. Null unless it exceeds the limit.',
    }),
  }),
});

const mutationErrors = [InvalidInputError, ForbiddenError, NotFoundError, ConflictError];

const namesByStatus = new Map([
  [400, InvalidInputError.name],
  [403, ForbiddenError.name],
  [404, NotFoundError.name],
  [409, ConflictError.name],
]);

/** A mutation: its input, its work and its result. */
interface Mutation<Fields extends InputFieldMap, Payload extends object> {
  description: string;
  scopes: RequiredScopes;
  /** Whether a repetition is safe by itself, so that the mutation takes no Idempotency-Key. */
  isIdempotent?: boolean;
  /** The cost, for a mutation whose cost grows with its input. */
  complexity?: (args: { input: InputShapeFromFields<Fields> }) => { field: number; multiplier: number };
  /** Describes the input, and by default also the argument. */
  inputDescription: string;
  argumentDescription?: string;
  input: (t: InputFields) => Fields;
  /**
   * Runs before the transaction that an Idempotency-Key begins, for what would keep others waiting until its end. Errors of
   * the caller are left to `run`.
   */
  prepare?: (ctx: ServiceContext, input: InputShapeFromFields<Fields>) => Promise<void>;
  run: (ctx: ServiceContext, input: InputShapeFromFields<Fields>) => Promise<Payload> | Payload;
  /** Describes the payload, without a period: "The created agent". */
  payloadDescription: string;
  payload: ObjectFieldsShape<Types, Payload>;
}

/**
 * Adds a mutation with one argument `input`. Its result is the payload or an error, combined in a union: `createAgent`
 * takes CreateAgentInput and returns CreateAgentResult, which is CreateAgentPayload or one of the error types.
 */
export function addMutation<Fields extends InputFieldMap, Payload extends object>(
  name: string,
  mutation: Mutation<Fields, Payload>,
): void;
export function addMutation(name: string, mutation: Mutation<InputFieldMap, object>): void {
  const { description, scopes, isIdempotent, complexity, inputDescription, payloadDescription, prepare, run } =
    mutation;
  const typeName = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const input = builder.inputType(`${typeName}Input`, { description: inputDescription, fields: mutation.input });
  const payload = builder
    .objectRef<object>(`${typeName}Payload`)
    .implement({ description: `${payloadDescription}.`, fields: mutation.payload });
  const result = builder.unionType(`${typeName}Result`, {
    description: `${payloadDescription}, or an error.`,
    types: [payload, ...mutationErrors],
    resolveType: (value) => ('typename' in value ? String(value.typename) : payload.name),
  });
  const argument = mutation.argumentDescription ?? inputDescription;
  builder.mutationField(name, (t) =>
    t.field({
      type: result,
      nullable: false,
      description,
      extensions: {
        ...requiresScopes(scopes),
        ...(isIdempotent === true && { isIdempotent }),
      },
      ...(complexity && { complexity }),
      args: { input: t.arg({ type: input, required: true, description: argument }) },
      resolve: async (_root, { input: given }, ctx, info) => {
        forgetReads(ctx);
        let stored: string;
        try {
          if (isIdempotent === true || ctx.idempotencyKey === undefined || isDryRun(given))
            return await run(ctx, given);
          await prepare?.(ctx, given).catch(mutationErrorOf);
          stored = await runOnce(ctx, info, (within) => run(within, given));
        } catch (error) {
          return mutationErrorOf(error);
        }
        return responseFromText(ctx, stored);
      },
    }),
  );
}

/** The options of a payload's field that always has a value. Without a description, the field has that of its type. */
export function nonNull<Type>(type: Type, description?: string) {
  return { type, nullable: false, ...(description !== undefined && { description }) } as const;
}

/** A dry run changes nothing, so it takes no key. */
function isDryRun(input: object): boolean {
  return 'validateOnly' in input && input.validateOnly === true;
}

/** The message of a ForbiddenError, if the mutation returned one. */
export function refusalOf(result: unknown): { message: string } | undefined {
  if (!isMutationError(result) || result.typename !== ForbiddenError.name) return undefined;
  return { message: result.message };
}

function isMutationError(result: unknown): result is MutationError & { typename: string } {
  return typeof result === 'object' && result !== null && 'typename' in result && 'code' in result;
}

/** An error of the caller as data. @throws the error itself, if it is not one of the caller. */
function mutationErrorOf(thrown: unknown): MutationError & { typename: string } {
  const error = apiErrorFrom(thrown);
  const typename = namesByStatus.get(error.status);
  // A running request with the same Idempotency-Key is not an error of this mutation.
  if (typename === undefined || error.error === 'idempotency_key_in_use') throw thrown;
  const { error: code, message, field, problems: found, conflict, exceeded } = error;
  const path = field?.split('.') ?? found?.[0]?.path;
  const problems = found ?? [{ path: path ?? [], code, message, ...exceeded }];
  return { typename, code, message, path, problems, ...conflict, ...exceeded };
}

builder.mutationType({ description: 'All write operations.' });
