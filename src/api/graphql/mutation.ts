// Mutations take one input, and return a payload or an error as data: errors of the caller are part of
// the schema. Errors of the service remain errors of the request.
import type { ObjectFieldsShape } from '@pothos/core';
import { ApiError } from '../../errors.js';
import type { ErrorCode, ProblemCode } from '../../error-codes.js';
import type { ConflictState, ExceededLimit, Problem } from '../../errors.js';
import { isKind } from '../../changes/change-subjects.js';
import type { ChangeKind } from '../../changes/change-subjects.js';
import { builder } from './builder.js';
import { KindEnum } from './changes/change-filter.js';
import { ErrorCodeEnum, ProblemCodeEnum } from './error-codes.js';

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
    updatedAt: t.field({
      type: 'DateTime',
      description: 'Time of the last change. Null unless the code is version_mismatch.',
      resolve: ({ updatedAt }) => updatedAt?.toISOString(),
    }),
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

type Types = (typeof builder)['$inferSchemaTypes'];

/**
 * The result type of a mutation: its payload, such as CreateAgentPayload, or an error, combined in the union
 * CreateAgentResult.
 *
 * @param name name of the mutation in Pascal case, such as CreateAgent.
 * @param payload description of the payload, without a period: "The created agent".
 */
export function resultType<Payload extends object>(
  name: string,
  payload: string,
  fields: ObjectFieldsShape<Types, Payload>,
) {
  const payloadType = builder.objectRef<Payload>(`${name}Payload`).implement({ description: `${payload}.`, fields });
  return builder.unionType(`${name}Result`, {
    description: `${payload}, or an error.`,
    types: [payloadType, ...mutationErrors],
    resolveType: resultTypeOf(`${name}Payload`),
  });
}

/** Resolves the type of a result: the type of the error, or the type of the payload. */
function resultTypeOf(payload: string): (value: object) => string {
  return (value) => ('typename' in value ? String(value.typename) : payload);
}

/** Returns true if a mutation returned an error. */
export function isRefusal(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'typename' in result;
}

/** The message of a ForbiddenError, if the mutation returned one. */
export function refusalOf(result: unknown): { message: string } | undefined {
  if (!isMutationError(result) || result.typename !== ForbiddenError.name) return undefined;
  return { message: result.message };
}

function isMutationError(result: unknown): result is MutationError & { typename: string } {
  return typeof result === 'object' && result !== null && 'typename' in result && 'code' in result;
}

/** Runs a mutation and returns an error of the caller as data. */
export async function resultOf<Payload extends object>(
  act: () => Promise<Payload>,
): Promise<Payload | (MutationError & { typename: string })> {
  try {
    return await act();
  } catch (error) {
    const typename = error instanceof ApiError ? namesByStatus.get(error.status) : undefined;
    // A running request with the same Idempotency-Key is not an error of this mutation.
    const isOfMutation = error instanceof ApiError && error.error !== 'idempotency_key_in_use';
    if (!isOfMutation || typename === undefined) throw error;
    const { error: code, message, field, problems: found, conflict, exceeded } = error;
    const path = field?.split('.') ?? found?.[0]?.path;
    const problems = found ?? [{ path: path ?? [], code, message, ...exceeded }];
    return { typename, code, message, path, problems, ...conflict, ...exceeded };
  }
}

builder.mutationType({ description: 'All write operations.' });
