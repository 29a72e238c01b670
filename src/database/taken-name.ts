import { Prisma } from './client/client.js';
import { ApiError } from '../errors.js';
import { isUniqueViolation } from './failures.js';

/** Runs an insert of something whose name is unique. @throws 409 `conflict` when the name is taken. */
export async function insertNamed<Row>(kind: string, name: string, insert: () => Promise<Row>): Promise<Row> {
  try {
    return await insert();
  } catch (error) {
    const isOfClient = error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
    if (!isOfClient && !isUniqueViolation(error)) throw error;
    throw new ApiError('conflict', `The name ${JSON.stringify(name)} is taken: there is ${kind} of that name.`, {
      cause: error,
    });
  }
}
