// Refuses the deletion of a resource that other resources use, and lists those resources in the error.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { ApiError } from '../../errors.js';
import type { Precondition } from './write-row.js';

/** How many users of the resource the error lists, by kind and name. */
const usersListedMax = 20;

interface Users {
  count: number;
  /** The first users of the resource. */
  usedBy: { kind: string; name: string }[];
}

/**
 * The precondition for deleting a resource: no other resource uses it. It is checked in the statement that deletes the
 * row, which locks it; a resource that starts to use it must lock the same row.
 *
 * @param used the resource as errors name it: `volume data`.
 * @param users SQL that selects the kind, as in the change log, and the name of each user.
 */
export function unused(
  within: AuthorizedWorkspace,
  used: { label: string; name: string },
  users: Prisma.Sql,
): Precondition {
  return {
    names: Prisma.sql`SELECT u."name" FROM (${users}) AS u LIMIT 1`,
    count: 0,
    refuse: async () => {
      const found = await readUsers(within, users);
      return found.count > 0 ? inUse(used, found) : noLongerUsed(used);
    },
  };
}

async function readUsers({ db }: AuthorizedWorkspace, users: Prisma.Sql): Promise<Users> {
  const text = await db.$text(Prisma.sql`
    WITH "user" AS MATERIALIZED (SELECT u."kind", u."name" FROM (${users}) AS u),
    "first" AS (SELECT * FROM "user" ORDER BY "kind", "name" LIMIT ${usersListedMax})
    SELECT json_build_object('count', (SELECT count(*) FROM "user"), 'usedBy', (
      SELECT coalesce(json_agg(json_build_object('kind', f."kind", 'name', f."name")), '[]') FROM "first" AS f))::text`);
  return JSON.parse(text);
}

function inUse({ label, name }: { label: string; name: string }, { count, usedBy }: Users): ApiError {
  const told = usedBy.slice(0, 3).map((user) => `${wordsOf(user.kind)} ${JSON.stringify(user.name)}`);
  const more = count > told.length ? `, and ${count - told.length} more` : '';
  const message = `The ${label} ${JSON.stringify(name)} is in use by the ${told.join(', the ')}${more}.`;
  return new ApiError('in_use', message, { details: { count, usedBy } });
}

/** The error if the last user was deleted between the two statements. */
function noLongerUsed({ label, name }: { label: string; name: string }): ApiError {
  return new ApiError('conflict', `The ${label} ${JSON.stringify(name)} was in use a moment ago. Try again.`);
}

/** A resource kind as error messages write it: `egress IP`. */
function wordsOf(kind: string): string {
  return kind.toLowerCase().replaceAll('_', ' ');
}
