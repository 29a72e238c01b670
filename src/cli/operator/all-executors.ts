// Executors of the platform, for operators. These functions do not authorize the caller.
import { createApiKey } from '../../auth/api-key.js';
import type { Executor } from '../../database/client/client.js';
import type { Database } from '../../database/open.js';
import { insertNamed } from '../../database/name-taken.js';
import { ApiError, notFound } from '../../errors.js';
import { everyRegion } from '../../lifecycle/work-kinds.js';

export interface NewExecutor {
  name: string;
  regions: string[];
  kinds: string[];
  /** Null for a key that never expires. */
  expiresAt: Date | null;
  /** The networks from which its key works, in CIDR notation; any network if absent or empty. */
  addressRanges?: string[];
}

/**
 * Registers an executor. From then on, created and updated resources of its kinds in its regions wait for it.
 *
 * @returns its key, which is shown only once.
 * @throws 404 for an unknown region, 409 `conflict` if the name is taken.
 */
export async function createExecutor(
  db: Database,
  { name, regions, kinds, expiresAt, addressRanges = [] }: NewExecutor,
  now: Date,
): Promise<{ key: string; id: string }> {
  const known = await db.region.findMany({ where: { name: { in: regions } }, select: { name: true } });
  const unknown = regions.find((region) => region !== everyRegion && !known.some((each) => each.name === region));
  if (unknown !== undefined) throw notFound('region', unknown);
  const { key, prefix, hash } = createApiKey('executor key');
  const { id } = await insertNamed('executor', name, () =>
    db.executor.create({ data: { name, regions, kinds, expiresAt, addressRanges, prefix, hash, createdAt: now } }),
  );
  return { key, id };
}

/** All executors, by name. */
export async function listExecutors(db: Database): Promise<Omit<Executor, 'hash'>[]> {
  return db.executor.findMany({ omit: { hash: true }, orderBy: { name: 'asc' } });
}

/**
 * Updates the expiry and the address ranges of an executor's key. Absent values stay.
 *
 * @throws 404 `not_found`; 409 `conflict` if it is revoked.
 */
export async function updateExecutor(
  db: Database,
  name: string,
  changes: { expiresAt: Date | null | undefined; addressRanges: string[] | undefined },
): Promise<Omit<Executor, 'hash'>> {
  const executor = await db.executor.findUnique({ where: { name } });
  if (executor === null) throw notFound('executor', name);
  if (executor.revokedAt !== null) throw new ApiError('conflict', `The executor ${name} is revoked.`);
  const { expiresAt = executor.expiresAt, addressRanges = executor.addressRanges } = changes;
  return db.executor.update({ where: { name }, data: { expiresAt, addressRanges }, omit: { hash: true } });
}

/**
 * Revokes an executor: its key stops working within one second, and its leases end. If it was revoked before, its time of
 * revocation stays.
 *
 * @throws 404 `not_found`
 */
export async function revokeExecutor(db: Database, name: string, now: Date): Promise<{ revokedAt: Date }> {
  const executor = await db.executor.findUnique({ where: { name } });
  if (executor === null) throw notFound('executor', name);
  if (executor.revokedAt !== null) return { revokedAt: executor.revokedAt };
  await db.$transaction([
    db.executor.update({ where: { name }, data: { revokedAt: now } }),
    db.$executeRaw`
      UPDATE "assignment" SET "executor_id" = NULL, "lease_until" = NULL, "due_at" = now()
      WHERE "executor_id" = ${executor.id}::uuid AND "due_at" IS NOT NULL`,
  ]);
  return { revokedAt: now };
}

/** Deletes a revoked executor. @throws 404; 409 `conflict` if it is not revoked. */
export async function deleteExecutor(db: Database, name: string): Promise<void> {
  const executor = await db.executor.findUnique({ where: { name } });
  if (executor === null) throw notFound('executor', name);
  if (executor.revokedAt === null)
    throw new ApiError('conflict', `The executor ${name} is not revoked. Revoke it first.`);
  await db.executor.delete({ where: { name } });
}
