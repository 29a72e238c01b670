// The background tasks of a process, in one table. Every process runs all of them; each task takes locks in the
// database, so that several processes do not repeat the work.
import { recordQuotaCrossings } from '../accounts/record-quota-crossings.js';
import { deleteUnusedClients } from '../auth/grants/client-registration.js';
import { forgetInvitations } from '../accounts/invitations.js';
import { forgetExpired } from '../auth/grants/housekeeping.js';
import { rotateSigningKeyWhenDue } from '../auth/signing-keys.js';
import { checkBudgets } from '../billing/check-budgets.js';
import { removeChangesBefore } from '../changes/change-retention.js';
import { forgetIdempotentAnswers } from '../changes/idempotent-change.js';
import { recordAllDeniedRequests } from '../changes/denied-requests/denied-request-rows.js';
import type { Config } from '../config.js';
import { tryEach } from '../database/try-each.js';
import { countAssignments } from '../lifecycle/count-assignments.js';
import { forgetTakenDown, failExhausted } from '../lifecycle/fail-exhausted.js';
import { tendInvocations } from '../lifecycle/invocation-steps.js';
import { restartFailed } from '../lifecycle/restart-failed.js';
import { tendExecutions } from '../lifecycle/tend-executions.js';
import { rollUpShareOfUsage } from '../metering/roll-up-all-usage.js';
import { deleteRolledUpBatches } from '../metering/usage-rollup.js';
import { correctAllQuotaUsage } from '../quotas/usage-recount.js';
import { expireExecutions } from '../resources/jobs/expire-executions.js';
import { runSchedules } from '../resources/schedules/run-schedules.js';
import { queueExpiryEmails } from '../email/expiring-keys.js';
import { deleteOldEmails, sendEmails } from '../email/send-emails.js';
import { queueChangeEmails } from '../email/change-emails.js';
import { removeDeliveriesBefore } from '../webhooks/delivery-retention.js';
import type { Services } from './services.js';

export interface BackgroundTask {
  /** Name of the task in logs, in metrics and in `/readyz`. */
  name: string;
  /** Time from the start of one run to the start of the next (ms). A task never runs twice at a time. */
  everyMs: number;
  /** Set if it first runs after that time, and not when the process starts: it costs much, and nobody waits for it. */
  startsLate?: boolean;
  /** @param stopping aborts when the process stops: a long run leaves the rest to the next one. */
  run: (services: Services, config: Config, stopping: AbortSignal) => Promise<unknown>;
}

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

const before = (now: Date, days: number) => new Date(now.getTime() - days * day);

const define = <Name extends string>(tasks: Record<Name, BackgroundTask>) => tasks;

export const backgroundTasks = define({
  rollUpUsage: { name: 'roll up usage', everyMs: second, run: rollUpUsage },
  rotateSigningKeys: { name: 'rotate signing keys', everyMs: 10 * minute, run: rotateSigningKeys },
  forgetExpiredGrants: {
    name: 'delete expired grants',
    everyMs: 10 * minute,
    run: ({ db, now }) => forgetExpired(db, now()),
  },
  deleteUnusedClients: {
    name: 'delete unused clients',
    everyMs: 10 * minute,
    run: async ({ db, now, log }) => {
      for (const client of await deleteUnusedClients(db, now())) {
        log.info({ oauth: 'client_deleted', client }, 'oauth: client deleted');
      }
    },
  },
  forgetInvitations: {
    name: 'delete old invitations',
    everyMs: 10 * minute,
    run: ({ db, now }) => forgetInvitations(db, now()),
  },
  forgetUsageBatches: {
    name: 'delete rolled-up usage batches',
    everyMs: 10 * minute,
    run: ({ db, now }) => deleteRolledUpBatches(db, now()),
  },
  forgetIdempotentAnswers: {
    name: 'delete stored responses',
    everyMs: 10 * minute,
    run: ({ db, now }) => forgetIdempotentAnswers(db, now()),
  },
  removeOldChanges: {
    name: 'delete old changes',
    everyMs: 10 * minute,
    run: ({ db, now }, config, stopping) =>
      removeChangesBefore(db, before(now(), config.CHANGE_RETENTION_DAYS), stopping),
  },
  expireExecutions: {
    name: 'delete old executions',
    everyMs: 10 * minute,
    run: ({ db, now }, config, stopping) => expireExecutions(db, now(), config.EXECUTION_RETENTION_DAYS, stopping),
  },
  removeOldDeliveries: {
    name: 'delete old deliveries',
    everyMs: 10 * minute,
    run: ({ db, now }, config) => removeDeliveriesBefore(db, before(now(), config.WEBHOOK_DELIVERY_RETENTION_DAYS)),
  },
  queueExpiryEmails: {
    name: 'queue email about expiring keys',
    everyMs: 10 * minute,
    run: async ({ db, now, publicUrl }, config) => {
      if (config.SMTP_URL !== undefined) await queueExpiryEmails(db, now(), publicUrl);
      await deleteOldEmails(db, now());
    },
  },
  sendEmails: {
    name: 'send email',
    everyMs: 5 * second,
    run: async ({ db, now, publicUrl, log }, { SMTP_URL: url, SMTP_FROM: from }, stopping) => {
      if (url === undefined || from === undefined) return;
      await queueChangeEmails(db, now(), publicUrl);
      await sendEmails(db, { url, from, now, log, stopping });
    },
  },
  recordDeniedRequests: {
    name: 'record denied requests',
    everyMs: minute,
    run: ({ db, now }) => recordAllDeniedRequests(db, now()),
  },
  checkBudgets: {
    name: 'check budgets',
    everyMs: 10 * second,
    run: ({ db, usageMemory, now }) => checkBudgets(db, usageMemory, now),
  },
  recordQuotaCrossings: {
    name: 'record reached quotas',
    everyMs: second,
    run: ({ db }) => recordQuotaCrossings(db),
  },
  correctQuotaUsage: {
    name: 'check the use of quotas',
    everyMs: 30 * minute,
    startsLate: true,
    run: async ({ db, metrics, log }, _config, stopping) => {
      for (const use of await correctAllQuotaUsage(db, stopping)) {
        metrics.quotaUsageCorrected();
        log.error(use, 'quotas: the use differed from the resources, and was corrected');
      }
    },
  },
  giveUpAssignments: {
    name: 'fail exhausted assignments',
    everyMs: second,
    run: ({ db, now }) => failExhausted(db, now()),
  },
  restartFailed: {
    name: 'restart failed workloads',
    everyMs: second,
    run: ({ db, now }) => restartFailed(db, now()),
  },
  tendExecutions: {
    name: 'advance executions',
    everyMs: second,
    run: ({ db, now }) => tryEach([tendExecutions, tendInvocations], (tend) => tend(db, now())),
  },
  runSchedules: {
    name: 'run schedules',
    everyMs: second,
    run: ({ db, encryption, now }) => runSchedules({ db, encryption, now }),
  },
  measureAssignments: {
    name: 'count assignments',
    everyMs: 15 * second,
    run: async ({ db, metrics }) => metrics.work.counted(await countAssignments(db)),
  },
  forgetAssignments: {
    name: 'delete finished assignments',
    everyMs: 10 * minute,
    run: ({ db }) => forgetTakenDown(db),
  },
});

/** Metrics queries roll up the events that wait: the more often this task does so before, the less is left to them. */
async function rollUpUsage({ db, usageMemory, now, metrics, traces }: Services): Promise<void> {
  const { waiting } = metrics.usage;
  if (traces === undefined) return rollUpShareOfUsage(db, usageMemory, now(), waiting);
  await traces.rollUp((onWaiting) =>
    rollUpShareOfUsage(db, usageMemory, now(), (events) => {
      waiting(events);
      onWaiting(events);
    }),
  );
}

async function rotateSigningKeys({ db, encryption, now, log }: Services, config: Config): Promise<void> {
  const next = await rotateSigningKeyWhenDue(db, encryption, now(), config.SIGNING_KEY_AGE_DAYS_MAX);
  if (next !== undefined) log.info(next, 'published the next signing key');
}
