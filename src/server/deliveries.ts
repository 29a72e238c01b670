import type { Database } from '../database/open.js';
import { lookMs, startDeliveryLoop } from '../webhooks/delivery-loop.js';
import type { DeliveryLoop } from '../webhooks/delivery-loop.js';
import type { Services } from './services.js';

/** The name in metrics and in /readyz. */
const name = 'send webhooks';

/**
 * Starts to send changes to webhooks.
 *
 * @param db the connections for subscriptions and webhooks.
 * @param isAlone whether no other process uses this database.
 */
export function startDeliveries(services: Services, db: Database, isAlone = false): DeliveryLoop {
  const { encryption, egressRules: egress, now, changeHub, metrics, taskRecord, log, version, publicUrl } = services;
  taskRecord.expect(name, lookMs);
  const loop = startDeliveryLoop({
    db,
    encryption,
    egress,
    now,
    changeHub,
    isAlone,
    publicUrl,
    userAgent: `workload-control-plane/${version}`,
    onAttempt: metrics.webhooks.attempted,
    onLook: (seconds, isDone) => taskRecord.ran(name, seconds, isDone),
    onFailure: (error) => log.error({ err: error }, 'cannot send webhooks'),
  });
  metrics.webhooks.watch(loop.working);
  return loop;
}
