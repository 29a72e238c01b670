import { Prisma } from './client/client.js';
import { ApiError } from '../errors.js';
import { isUniqueViolation } from './failures.js';

/**
 * Runs an insert with a unique name.
 *
 * @param field the input field that has the name.
 * @throws 409 `name_taken` if the name is already in use.
 */
export async function insertNamed<Row>(
  kind: string,
  name: string,
  insert: () => Promise<Row>,
  field: string,
): Promise<Row> {
  try {
    return await insert();
  } catch (error) {
    throw nameTakenFrom(error, kind, name, field);
  }
}

/** Translates the failure of an insert with a unique name: 409 for a name that is in use; another error as it is. */
export function nameTakenFrom(error: unknown, kind: string, name: string, field: string): unknown {
  const isOfClient = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
  if (!isOfClient && !isUniqueViolation(error)) return error;
  const message = `The name ${JSON.stringify(name)} is taken by another ${kind}.`;
  return new ApiError('name_taken', message, { field, cause: error });
}
