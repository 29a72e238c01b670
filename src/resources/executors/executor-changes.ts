// Changes of executors by admins of the platform and by operators. The change log of the platform's account records them.
import { z } from 'zod';
import { canonicalRange } from '../../auth/address-range.js';
import { createApiKey } from '../../auth/api-key.js';
import { apiKeyExpiry, requestedExpiry } from '../../auth/api-key-expiry.js';
import { AuthorizedAccount, authorizePlatform } from '../../auth/authorize.js';
import type { Authorized } from '../../auth/authorize.js';
import type { RequestContext } from '../../auth/context.js';
import { runInTransaction } from '../../auth/run-in-transaction.js';
import { fieldsChanged } from '../../changes/fields-changed.js';
import { changeWithMessage, recordChanges } from '../../changes/record-changes.js';
import type { NewChange } from '../../changes/record-changes.js';
import { Prisma } from '../../database/client/client.js';
import type { Executor as ExecutorRow } from '../../database/client/client.js';
import { insertNamed } from '../../database/name-taken.js';
import { ApiError, notFound } from '../../errors.js';
import { refusal } from '../../schema/problem.js';
import { resourceName } from '../../schema/resource.js';
import { readInput, refuseNull } from '../../schema/shape-value.js';
import { text } from '../../schema/text.js';
import type { DryRun } from '../../store/write/change-input.js';
import { lockCreator } from '../../store/write/lock-creator.js';
import { everyRegion, executorKinds } from '../../lifecycle/work-kinds.js';

export type Executor = Omit<ExecutorRow, 'hash'>;

/** The maximum number of address ranges, of regions, and of kinds of an executor. */
export const executorListMax = 100;

const names = z
  .array(text(63))
  .min(1)
  .max(executorListMax)
  .transform((list) => [...new Set(list)]);

const range = z.string().transform((text, { addIssue }) => {
  const canonical = canonicalRange(text);
  if (canonical === undefined)
    addIssue({ code: 'custom', message: 'must be a range such as 203.0.113.0/24', params: { code: 'invalid_format' } });
  return canonical ?? z.NEVER;
});

const addressRanges = z
  .array(range)
  .max(executorListMax)
  .transform((list) => [...new Set(list)]);

const newExecutor = z.object({
  name: resourceName,
  regions: names,
  kinds: names.refine(
    (list) => list.every((kind) => executorKinds.includes(kind)),
    refusal('invalid_value', `must be some of: ${executorKinds.join(', ')}`),
  ),
  addressRanges: addressRanges.default([]),
});

interface ExpiryInput {
  /** RFC 3339. */
  expiresAt?: string | null | undefined;
  neverExpires?: boolean | null | undefined;
}

export interface ExecutorInput extends ExpiryInput, DryRun {
  name: string;
  /** Names of regions; `*` is every region. */
  regions: readonly string[];
  kinds: readonly string[];
  /** The networks from which its key works, in CIDR notation. Default: any network. */
  addressRanges?: readonly string[] | null | undefined;
}

/**
 * Registers an executor. From then on, created and updated resources of its kinds in its regions wait for it.
 *
 * @returns the executor with its key, which is shown only once.
 * @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 404 for an unknown region; 409
 * `name_taken`.
 */
export async function createExecutor(
  ctx: RequestContext,
  { validateOnly, ...input }: ExecutorInput,
): Promise<{ executor: Executor; key: string }> {
  const authorized = authorizePlatform(ctx);
  const { name, regions, kinds, addressRanges: ranges } = input;
  const read = readInput(newExecutor, { name, regions, kinds, addressRanges: ranges });
  const expiresAt = apiKeyExpiry(ctx.apiKeyLife, requestedExpiry(input), ctx.now());
  const { key, prefix, hash } = createApiKey('executor key');
  return runInTransaction<Authorized, { executor: Executor; key: string }>(authorized, validateOnly, async (within) => {
    await lockCreator(within);
    const db = await within.db.$prisma();
    const known = await db.region.findMany({ where: { name: { in: read.regions } }, select: { name: true } });
    const unknown = read.regions.find((each) => each !== everyRegion && !known.some((region) => region.name === each));
    if (unknown !== undefined) throw notFound('region', unknown);
    const data = { ...read, expiresAt, prefix, hash, createdAt: ctx.now() };
    const insert = () => db.executor.create({ data, omit: { hash: true } });
    const executor = await insertNamed('executor', name, insert, 'name');
    await record(within, 'created', executor, 'Registered', { after: shown(executor) });
    return { executor, key };
  });
}

/**
 * Updates the expiry and the address ranges of an executor's key. Absent values stay.
 *
 * @throws 400 `invalid_input`; 403 unless the caller is an admin of the platform; 404; 409 `conflict` if it is revoked.
 */
export async function updateExecutor(
  ctx: RequestContext,
  input: ExpiryInput & DryRun & { name: string; addressRanges?: readonly string[] | null | undefined },
): Promise<Executor> {
  authorizePlatform(ctx);
  refuseNull(input, ['expiresAt', 'neverExpires', 'addressRanges']);
  const requested = requestedExpiry(input);
  const expiry = requested === undefined ? undefined : apiKeyExpiry(ctx.apiKeyLife, requested, ctx.now());
  const given = { addressRanges: input.addressRanges };
  const { addressRanges: ranges } = readInput(z.object({ addressRanges: addressRanges.optional() }), given);
  return change(ctx, input, async (within, before) => {
    if (before.revokedAt !== null) throw new ApiError('conflict', `The executor ${before.name} is revoked.`);
    const { id } = before;
    const data = {
      expiresAt: expiry === undefined ? before.expiresAt : expiry,
      addressRanges: ranges ?? before.addressRanges,
    };
    if (fieldsChanged(shown(before), shown({ ...before, ...data })).length === 0) return before;
    const after = await (await within.db.$prisma()).executor.update({ where: { id }, data, omit: { hash: true } });
    await record(within, 'updated', after, 'Updated', { before: shown(before), after: shown(after) });
    return after;
  });
}

/**
 * Revokes an executor: its key stops working within one second, and its leases end. If it was revoked before, its time of
 * revocation stays.
 *
 * @throws 403 unless the caller is an admin of the platform; 404.
 */
export async function revokeExecutor(ctx: RequestContext, input: DryRun & { name: string }): Promise<Executor> {
  return change(ctx, input, async (within, before) => {
    if (before.revokedAt !== null) return before;
    const { id } = before;
    const revokedAt = ctx.now();
    const db = await within.db.$prisma();
    const after = await db.executor.update({ where: { id }, data: { revokedAt }, omit: { hash: true } });
    await db.$executeRaw`
      UPDATE "assignment" SET "executor_id" = NULL, "lease_until" = NULL, "due_at" = now()
      WHERE "executor_id" = ${id}::uuid AND "due_at" IS NOT NULL`;
    await record(within, 'revoked', after, 'Revoked');
    return after;
  });
}

/**
 * Deletes a revoked executor.
 *
 * @returns the deleted executor.
 * @throws 403 unless the caller is an admin of the platform; 404; 409 `conflict` if it is not revoked.
 */
export async function deleteExecutor(ctx: RequestContext, input: DryRun & { name: string }): Promise<Executor> {
  return change(ctx, input, async (within, executor) => {
    const { id, name } = executor;
    if (executor.revokedAt === null)
      throw new ApiError('conflict', `The executor ${name} is not revoked. Revoke it first.`);
    await (await within.db.$prisma()).executor.delete({ where: { id } });
    await record(within, 'deleted', executor, 'Deleted');
    return executor;
  });
}

async function change(
  ctx: RequestContext,
  { name, validateOnly }: DryRun & { name: string },
  act: (within: Authorized, before: Executor) => Promise<Executor>,
): Promise<Executor> {
  return runInTransaction<Authorized, Executor>(authorizePlatform(ctx), validateOnly, async (within) => {
    const db = await within.db.$prisma();
    // PostgreSQL cannot store NUL, so no executor has a name with it.
    const stored = name.replaceAll('\0', ' ');
    await db.$queryRaw(Prisma.sql`SELECT "id" FROM "executor" WHERE "name" = ${stored} FOR UPDATE`);
    const executor = await db.executor.findUnique({ where: { name: stored }, omit: { hash: true } });
    if (executor === null) throw notFound('executor', name);
    return act(within, executor);
  });
}

function shown({ name, regions, kinds, expiresAt, addressRanges: ranges }: Executor): object {
  return { name, regions, kinds, expiresAt: expiresAt?.toISOString(), addressRanges: ranges };
}

/** Without an account of the platform, there is no record. */
async function record(
  within: Authorized,
  verb: NewChange['verb'],
  executor: Executor,
  message: string,
  states: Pick<NewChange, 'before' | 'after'> = {},
): Promise<void> {
  if (!(within instanceof AuthorizedAccount)) return;
  await recordChanges(within, [{ ...changeWithMessage('EXECUTOR', verb, executor, message), ...states }]);
}
