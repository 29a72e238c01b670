// What others use stays: it is refused to go, and told what uses it.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError } from '../../errors.js';
import type { Precondition } from './write-row.js';

/** Users that are told of; the first by kind and name. */
const usersToldMax = 20;

interface Users {
  count: number;
  /** The first of them. */
  usedBy: { kind: string; name: string }[];
}

/**
 * What has to hold of a resource before it may go: nothing uses it. Decided in the statement that removes it, while its
 * row is held: whatever would come to use it has to hold that row as well.
 *
 * @param used as it is named: `volume data`.
 * @param users SQL that selects the kind, as the history has it, and the name of each that uses it.
 */
export function unused(
  within: AuthorizedWorkspace,
  used: { noun: string; name: string },
  users: Prisma.Sql,
): Precondition {
  return {
    names: Prisma.sql`SELECT u."name" FROM (${users}) AS u LIMIT 1`,
    count: 0,
    refuse: async () => {
      const found = await readUsers(within, users);
      return found.count > 0 ? inUse(used, found) : freedMeanwhile(used);
    },
  };
}

async function readUsers({ db }: AuthorizedWorkspace, users: Prisma.Sql): Promise<Users> {
  const text = await db.$text(Prisma.sql`
    WITH "user" AS MATERIALIZED (SELECT u."kind", u."name" FROM (${users}) AS u),
    "first" AS (SELECT * FROM "user" ORDER BY "kind", "name" LIMIT ${usersToldMax})
    SELECT json_build_object('count', (SELECT count(*) FROM "user"), 'usedBy', (
      SELECT coalesce(json_agg(json_build_object('kind', f."kind", 'name', f."name")), '[]') FROM "first" AS f))::text`);
  return JSON.parse(text);
}

function inUse({ noun, name }: { noun: string; name: string }, { count, usedBy }: Users): ApiError {
  const told = usedBy.slice(0, 3).map((user) => `${wordsOf(user.kind)} ${JSON.stringify(user.name)}`);
  const more = count > told.length ? `, and ${count - told.length} more` : '';
  const message = `The ${noun} ${JSON.stringify(name)} is in use by the ${told.join(', the ')}${more}.`;
  return new ApiError('in_use', message, { details: { count, usedBy } });
}

/** What used it went between the two statements: there is nobody to tell of. */
function freedMeanwhile({ noun, name }: { noun: string; name: string }): ApiError {
  return new ApiError('conflict', `The ${noun} ${JSON.stringify(name)} was in use until just now. Try again.`);
}

/** `EGRESS_IP` as a text has it. */
function wordsOf(kind: string): string {
  return kind.toLowerCase().replaceAll('_', ' ');
}
