import { Prisma } from './client/client.js';
import { ApiError } from '../errors.js';
import { isUniqueViolation } from './failures.js';

/** What is refused with where a name is taken. */
interface Refusal {
  error: 'conflict' | 'name_taken';
  /** Where the name stood, if callers are told. */
  field?: string;
}

/** Runs an insert of something whose name is unique. @throws 409 with what it is refused with, when the name is taken. */
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
    throw new ApiError(code, `The name ${JSON.stringify(name)} is taken: there is ${kind} of that name.`, {
      ...where,
      cause: error,
    });
  }
}
