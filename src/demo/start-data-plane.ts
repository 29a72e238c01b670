import { fork } from 'node:child_process';
import { createApiKey } from '../auth/api-key.js';
import type { Database } from '../database/open.js';
import { executorKinds } from '../lifecycle/work-kinds.js';
import { frameContext } from '../cli/operator/operator-context.js';
import type { OperatorServices } from '../cli/operator/operator-context.js';
import { createExecutor, deleteExecutor, revokeExecutor } from '../resources/executors/executor-changes.js';
import { demoAccounts } from './company.js';
import { idOf } from './random.js';

const name = 'demo-data-plane';

/** The keys of the simulated data plane. They are not stored; each start creates new ones. */
export interface DataPlaneKeys {
  /** The key of the executor. */
  executor: string;
  /** Keys that can only record usage, by account id. */
  meters: Record<string, string>;
}

export async function dataPlaneKeys(services: OperatorServices): Promise<DataPlaneKeys> {
  const { db } = services;
  const ctx = await frameContext(services);
  if ((await db.executor.count({ where: { name } })) > 0) {
    await revokeExecutor(ctx, { name });
    await deleteExecutor(ctx, { name });
  }
  const { key } = await createExecutor(ctx, { name, regions: ['*'], kinds: executorKinds, neverExpires: true });
  const meters: DataPlaneKeys['meters'] = {};
  for (const account of demoAccounts) {
    const accountId = idOf(account.name);
    // A user may have deleted it.
    if ((await db.account.count({ where: { id: accountId } })) > 0) meters[accountId] = await meterKey(db, accountId);
  }
  return { executor: key, meters };
}

/** Only admins can record usage, but the scope of the key limits it to that. */
async function meterKey(db: Database, accountId: string): Promise<string> {
  const principal = {
    id: idOf(`meter of ${accountId}`),
    kind: 'service_account',
    name: `usage-meter-${accountId.slice(0, 8)}`,
    displayName: 'Meter of the simulated data plane',
  } as const;
  const principalId = principal.id;
  await db.principal.upsert({ where: { id: principalId }, create: principal, update: {} });
  const member = { accountId, principalId };
  const which = { accountId_principalId: member };
  await db.accountMember.upsert({ where: which, create: { ...member, role: 'admin' }, update: { role: 'admin' } });
  await db.apiKey.deleteMany({ where: { principalId } });
  const { key, prefix, hash } = createApiKey();
  await db.apiKey.create({ data: { name: 'meter', prefix, hash, scope: 'usage:write', principalId, accountId } });
  return key;
}

/** Starts the simulated data plane, whose process ends with this one. @param file the state file of its meter */
export function startDataPlane(origin: string, { executor, meters }: DataPlaneKeys, file: string): void {
  const child = fork(new URL('data-plane.js', import.meta.url), {
    env: { GATEWAY: origin, EXECUTOR_KEY: executor, METER_KEYS: JSON.stringify(meters), METER_FILE: file },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
}
