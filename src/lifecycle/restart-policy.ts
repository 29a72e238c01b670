// The restart of failed workloads, after Kubernetes' restartPolicy: with a delay that doubles up to a maximum.
import { Prisma } from '../database/client/client.js';
import type { DeploymentState, DeploymentWork } from './deployment-states.js';

/** When the platform deploys a workload again without a request. */
export const restartPolicies = {
  never: 'Never.',
  'on-failure': 'After it failed, with a delay that doubles from 10 seconds to 5 minutes.',
} as const;

export type RestartPolicy = keyof typeof restartPolicies;

/** The delay before the first restart (seconds), and the longest one. */
const delaySecondsFirst = 10;
const delaySecondsMax = 300;

/** A workload that ran for this long starts again with the first delay. */
const stableMinutes = 10;

/** The part of a specification that decides on restarts. */
interface RestartedRow {
  spec: object;
}

/**
 * SQL of the columns of an assignment that plan a restart, when its resource reaches a state. The time of the last
 * transition is `updated_at`.
 *
 * @param row undefined for a deleted resource.
 */
export function restartColumns(
  wanted: DeploymentWork | 'run',
  state: DeploymentState,
  row: RestartedRow | undefined,
): Prisma.Sql {
  const policy: RestartPolicy | undefined = row === undefined ? undefined : Reflect.get(row.spec, 'restartPolicy');
  if (state !== 'FAILED' || wanted !== 'deploy' || policy !== 'on-failure') return Prisma.sql`"restart_at" = NULL`;
  const restarts = Prisma.sql`
    CASE WHEN "phase" = 'DEPLOYED' AND "updated_at" < now() - ${stableMinutes} * interval '1 minute' THEN 0
      ELSE "restarts" END`;
  return Prisma.sql`
    "restarts" = ${restarts} + 1, "restart_at" = now()
      + least(${delaySecondsMax}, ${delaySecondsFirst} * power(2, least(${restarts}, 10))) * interval '1 second'`;
}
