import type { Database } from '../database/open.js';
import { lookMs, startDeliveryLoop } from '../webhooks/delivery-loop.js';
import type { DeliveryLoop } from '../webhooks/delivery-loop.js';
import type { Services } from './services.js';

/** As measurements and /readyz name it, beside the background tasks. */
const name = 'deliver to webhooks';

/**
 * Sends changes to webhooks from now on.
 *
 * @param db for what the process does by itself.
 * @param isAlone whether no other process has this database.
 */
export function startDeliveries(services: Services, db: Database, isAlone = false): DeliveryLoop {
  const { seal, egressRules: egress, now, changeHub, measurements, taskRecord, log, version } = services;
  taskRecord.expect(name, lookMs);
  const loop = startDeliveryLoop({
    db,
    seal,
    egress,
    now,
    changeHub,
    isAlone,
    userAgent: `workload-control-plane/${version}`,
    onAttempt: measurements.webhooks.attempted,
    onLook: (seconds, isDone) => taskRecord.ran(name, seconds, isDone),
    onFailure: (error) => log.error({ err: error }, 'webhooks cannot be sent'),
  });
  measurements.webhooks.watch(loop.working);
  return loop;
}
