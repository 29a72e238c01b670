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
    const isOfClient = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
    if (!isOfClient && !isUniqueViolation(error)) throw error;
    throw new ApiError(code, `The name ${JSON.stringify(name)} is taken by another ${kind}.`, {
      ...where,
      cause: error,
    });
  }
}
