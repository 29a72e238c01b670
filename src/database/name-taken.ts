import { Prisma } from './client/client.js';
import { ApiError } from '../errors.js';
import { isUniqueViolation } from './failures.js';

/** The error for a name that is already in use. */
interface Refusal {
  error: 'conflict' | 'name_taken';
  /** The input field with the name, if the error names it. */
  field?: string;
}

/** Runs an insert with a unique name. @throws 409 with the given error code if the name is already in use */
export async function insertNamed<Row>(
  kind: string,
  name: string,
  insert: () => Promise<Row>,
  { error: code, ...where }: Refusal = { error: 'conflict' },
): Promise<Row> {
  try {
    return await insert();
  } catch (error) {
    throw nameTakenFrom(error, kind, name, { error: code, ...where });
  }
}

/** Translates the failure of an insert with a unique name: 409 for a name that is in use; another error as it is. */
export function nameTakenFrom(
  error: unknown,
  kind: string,
  name: string,
  { error: code, ...where }: Refusal = { error: 'conflict' },
): unknown {
  const isOfClient = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
  if (!isOfClient && !isUniqueViolation(error)) return error;
  return new ApiError(code, `The name ${JSON.stringify(name)} is taken by another ${kind}.`, {
    ...where,
    cause: error,
  });
}
