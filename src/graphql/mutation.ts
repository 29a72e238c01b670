// Mutations take one input, and answer a payload or an error as data: what a caller did wrong is part of
// the schema. What went wrong on our side stays an error of the request.
import { ApiError } from '../errors.js';
import { builder } from './builder.js';

interface MutationError {
  code: string;
  message: string;
  path: string[] | undefined;
}

const MutationErrorInterface = builder.interfaceRef<MutationError>('Error').implement({
  description: 'Why a mutation changed nothing.',
  fields: (t) => ({
    code: t.exposeString('code', { nullable: false, description: 'Stable snake_case code, as REST has it.' }),
    message: t.exposeString('message', { nullable: false, description: 'What went wrong, for people.' }),
    path: t.exposeStringList('path', { description: 'The field of the input that it concerns, if it is one.' }),
  }),
});

function errorType(name: string, description: string) {
  return builder.objectRef<MutationError>(name).implement({ description, interfaces: [MutationErrorInterface] });
}

const InvalidInputError = errorType('InvalidInputError', 'A field of the input breaks a rule.');
const ForbiddenError = errorType('ForbiddenError', 'The caller may not do that.');
const NotFoundError = errorType('NotFoundError', 'There is nothing of that name within reach.');
const ConflictError = errorType('ConflictError', 'The state of things does not allow it, or not any more.');

export const mutationErrors = [InvalidInputError, ForbiddenError, NotFoundError, ConflictError];

const namesByStatus = new Map([
  [400, InvalidInputError.name],
  [403, ForbiddenError.name],
  [404, NotFoundError.name],
  [409, ConflictError.name],
]);

/** An error as data, or the name of the payload's type: what a union of results resolves its type by. */
export function resultTypeOf(payload: string): (value: object) => string {
  return (value) => ('typename' in value ? String(value.typename) : payload);
}

/** Runs a mutation; an error of the caller becomes data. @param pathOf from an error's field to the input's. */
export async function resultOf<Payload extends object>(
  act: () => Promise<Payload>,
): Promise<Payload | (MutationError & { typename: string })> {
  try {
    return await act();
  } catch (error) {
    const typename = error instanceof ApiError ? namesByStatus.get(error.status) : undefined;
    if (!(error instanceof ApiError) || typename === undefined) throw error;
    return { typename, code: error.error, message: error.message, path: error.field?.split('.') };
  }
}

builder.mutationType({ description: 'Everything that can be changed.' });
