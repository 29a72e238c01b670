import { removeDeliveriesBefore } from '../../webhooks/delivery-retention.js';
import type { UpkeepJob } from './upkeep-job.js';

const dayMs = 24 * 60 * 60_000;

export const removeOldDeliveriesJob: UpkeepJob = {
  name: 'remove old deliveries',
  everyMs: 10 * 60_000,
  run: async ({ db, now }, config) => {
    await removeDeliveriesBefore(db, new Date(now().getTime() - config.WEBHOOK_DELIVERY_RETENTION_DAYS * dayMs));
  },
};
