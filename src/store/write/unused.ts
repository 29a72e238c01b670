// Refuses the deletion of a resource that other resources use, and lists those resources in the error.
import type { AuthorizedWorkspace } from '../../auth/authorize.js';
import { Prisma } from '../../database/client/client.js';
import { readJson } from '../../database/read-json.js';
import { ApiError } from '../../errors.js';
import { labelOfKind } from '../../resource-kinds.js';

/** How many users of the resource the error lists, by kind and name. */
const usersListedMax = 20;

interface Users {
  count: number;
  /** The first users of the resource. */
  usedBy: { kind: string; name: string }[];
}

/**
 * Refuses the deletion of a locked resource that other resources use. A resource that starts to use it locks the same
 * row, so it waits for the deletion.
 *
 * @param used the resource as errors name it: `volume data`.
 * @param users SQL that selects the kind, as in the change log, and the name of each user.
 * @throws 409 `in_use`
 */
export async function requireUnused(
  within: AuthorizedWorkspace,
  used: { label: string; name: string },
  users: Prisma.Sql,
): Promise<void> {
  const found = await readUsers(within, users);
  if (found.count > 0) throw inUse(used, found);
}

async function readUsers({ db }: AuthorizedWorkspace, users: Prisma.Sql): Promise<Users> {
  return readJson(
    db,
    Prisma.sql`
      WITH "user" AS MATERIALIZED (SELECT u."kind", u."name" FROM (${users}) AS u),
      "first" AS (SELECT * FROM "user" ORDER BY "kind", "name" LIMIT ${usersListedMax})
      SELECT json_build_object('count', (SELECT count(*) FROM "user"), 'usedBy', (
        SELECT coalesce(json_agg(json_build_object('kind', f."kind", 'name', f."name")), '[]') FROM "first" AS f))::text`,
  );
}

function inUse({ label, name }: { label: string; name: string }, { count, usedBy }: Users): ApiError {
  const listed = usedBy.slice(0, 3).map((user) => `${labelOfKind(user.kind)} ${JSON.stringify(user.name)}`);
  const more = count > listed.length ? `, and ${count - listed.length} more` : '';
  const message = `The ${label} ${JSON.stringify(name)} is in use by the ${listed.join(', the ')}${more}.`;
  return new ApiError('in_use', message, { conflict: { usedBy, usedByCount: count } });
}
