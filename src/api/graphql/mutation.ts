// Mutations take one input, and answer a payload or an error as data: what a caller did wrong is part of
// the schema. What went wrong on our side stays an error of the request.
import type { ObjectFieldsShape } from '@pothos/core';
import { ApiError } from '../../errors.js';
import type { ErrorCode, ProblemCode } from '../../error-codes.js';
import type { Details, Problem } from '../../errors.js';
import { builder } from './builder.js';
import { ErrorCodeEnum, ProblemCodeEnum } from './error-codes.js';

interface MutationError {
  code: ErrorCode;
  message: string;
  path: string[] | undefined;
  problems: readonly (Omit<Problem, 'code'> & { code: ErrorCode | ProblemCode })[];
  details: Details | undefined;
}

const MutationErrorInterface = builder.interfaceRef<MutationError>('Error').implement({
  description: 'Why a mutation changed nothing.',
  fields: (t) => ({
    code: t.expose('code', { type: ErrorCodeEnum, nullable: false, description: 'What went wrong, as REST has it.' }),
    message: t.exposeString('message', { nullable: false, description: 'What went wrong, for people.' }),
    path: t.exposeStringList('path', { description: 'The field of the input that it concerns, if it is one.' }),
  }),
});

function errorType(name: string, description: string) {
  return builder.objectRef<MutationError>(name).implement({ description, interfaces: [MutationErrorInterface] });
}

const ProblemType = builder.objectRef<MutationError['problems'][number]>('InputProblem').implement({
  description: 'A rule that a field of an input breaks.',
  fields: (t) => ({
    path: t.exposeStringList('path', {
      nullable: false,
      description: 'The field, from the input down; a place in a list is its number, from 0.',
    }),
    code: t.expose('code', { type: ProblemCodeEnum, nullable: false, description: 'Which rule it is.' }),
    message: t.exposeString('message', { nullable: false, description: 'The field and the rule, for people.' }),
  }),
});

const InvalidInputError = builder.objectRef<MutationError>('InvalidInputError').implement({
  description: 'Fields of the input break rules.',
  interfaces: [MutationErrorInterface],
  fields: (t) => ({
    problems: t.expose('problems', {
      type: [ProblemType],
      nullable: { list: false, items: false },
      description: 'Every rule that is broken.',
    }),
  }),
});

const ForbiddenError = errorType('ForbiddenError', 'The caller may not do that.');
const NotFoundError = errorType('NotFoundError', 'There is nothing of that name within reach.');
const ConflictError = builder.objectRef<MutationError>('ConflictError').implement({
  description: 'The state of things does not allow it, or not any more.',
  interfaces: [MutationErrorInterface],
  fields: (t) => ({
    details: t.expose('details', {
      type: 'JSON',
      description: 'What else is known of it: who changed what since, for version_mismatch; what uses it, for in_use.',
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
 * What a mutation answers: its payload, such as CreateAgentPayload, or why it changed nothing, together in the union
 * CreateAgentResult.
 *
 * @param name of the mutation as a type, such as CreateAgent.
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

/** An error as data, or the name of the payload's type: what a union of results resolves its type by. */
function resultTypeOf(payload: string): (value: object) => string {
  return (value) => ('typename' in value ? String(value.typename) : payload);
}

/** Whether a mutation answered why it changed nothing. */
export function isRefusal(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'typename' in result;
}

/** Why a mutation refused the caller what they may not do, where it did. */
export function refusalOf(result: unknown): { message: string } | undefined {
  if (!isMutationError(result) || result.typename !== ForbiddenError.name) return undefined;
  return { message: result.message };
}

function isMutationError(result: unknown): result is MutationError & { typename: string } {
  return typeof result === 'object' && result !== null && 'typename' in result && 'code' in result;
}

/** Runs a mutation; an error of the caller becomes data. @param pathOf from an error's field to the input's. */
export async function resultOf<Payload extends object>(
  act: () => Promise<Payload>,
): Promise<Payload | (MutationError & { typename: string })> {
  try {
    return await act();
  } catch (error) {
    const typename = error instanceof ApiError ? namesByStatus.get(error.status) : undefined;
    // That the first request under an Idempotency-Key still runs says nothing of what is asked.
    const isOfMutation = error instanceof ApiError && error.error !== 'idempotency_key_in_use';
    if (!isOfMutation || typename === undefined) throw error;
    const { error: code, message, field, problems, details } = error;
    const path = field?.split('.') ?? problems?.[0]?.path;
    return { typename, code, message, path, problems: problems ?? [{ path: path ?? [], code, message }], details };
  }
}

builder.mutationType({ description: 'Everything that can be changed.' });
