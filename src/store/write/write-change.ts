// Writes a change, or says why it cannot be; under an Idempotency-Key its answer is kept with it.
import { workspaceOutOfReach } from '../../auth/authorize.js';
import type { Authorized, AuthorizedWorkspace } from '../../auth/authorize.js';
import type { Once } from '../../auth/once.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import type { ApiError } from '../../errors.js';
import { writeRow } from './write-row.js';
import type { Along, Keeping, Needs, Written } from './write-row.js';

/** What a row needs to be written, and what to say when that is not so. */
export interface Demands extends Needs {
  /** Why it cannot be written, from the names that were found. */
  refuse: (found: ReadonlySet<string>) => ApiError | Promise<ApiError>;
}

/** What goes along with a change. */
export interface ChangeAlong extends Pick<Along, 'dependents' | 'assigning'> {
  demands?: Demands | undefined;
  /** What the change is answered with, where the database gives the row this status; else as it is to be. */
  answer: (status?: string) => object;
  /** The status that only the database knows the row to get. */
  begins?: string | undefined;
}

/** How often something is looked for that was there each time when it was asked why it was not. */
const attemptsMax = 3;

/** @throws what the demands refuse; what the request's Once throws. */
export async function writeChange(
  within: AuthorizedWorkspace,
  writing: Prisma.Sql,
  change: NewChange,
  { demands, dependents, assigning, ...answers }: ChangeAlong,
): Promise<Written> {
  const { once } = within.ctx;
  const keep = once && once.keeping(sealedAnswer(once, answers), Prisma.sql`FROM "written" AS r`);
  for (let attempt = 1; ; attempt++) {
    const keeping = once && keep && keepingOf(within, once, keep);
    const written = await writeRow(within, writing, change, { needs: demands, dependents, assigning, keeping });
    if (once?.isClaimed(written.claim) === false) continue;
    if (written.isWritten) return written;
    const workspaces = await within.db.workspace.count({ where: { id: within.workspace.id } });
    if (workspaces === 0) throw workspaceOutOfReach();
    if (demands === undefined) throw new Error('a row that was held is gone');
    const found = await namesFound(within, demands);
    // What was in the way may be gone by now, and what was missing there: then there is nothing to refuse.
    if (found.size === demands.count && attempt < attemptsMax) continue;
    throw await demands.refuse(found);
  }
}

/** What there is of what is needed. */
export async function namesFound({ db }: Authorized, { names }: Needs): Promise<ReadonlySet<string>> {
  const text = await db.$text(Prisma.sql`SELECT coalesce(json_agg(n."name"), '[]')::text FROM (${names}) AS n`);
  const found: string[] = JSON.parse(text);
  return new Set(found);
}

/** Keeps the answer of what had nothing to write. */
export async function keepAnswer({ ctx: { once }, db }: Authorized, answer: object): Promise<void> {
  if (once !== undefined) await db.$executeRaw(once.keeping(Prisma.sql`${once.sealed(answer)}`));
}

/** In a transaction the key was taken together with the row. */
function keepingOf(within: AuthorizedWorkspace, once: Once, statement: Prisma.Sql): Keeping {
  return { claim: within.isInTransaction ? undefined : once.claim(), statement };
}

function sealedAnswer(once: Once, { answer, begins }: Pick<ChangeAlong, 'answer' | 'begins'>): Prisma.Sql {
  const sealed = Prisma.sql`${once.sealed(answer())}::text`;
  if (begins === undefined) return sealed;
  return Prisma.sql`CASE WHEN r."status"::text = ${begins} THEN ${once.sealed(answer(begins))}::text ELSE ${sealed} END`;
}
