// The webhooks of the demo: one that works, one whose receiver is down and that is retried, and one that was paused after
// three days of failures. Their receiver is a server of the demo itself (webhook-receiver.ts).
import { randomUUID } from 'node:crypto';
import type { ChangeFilter } from '../changes/change-filter.js';
import type { ChangeAction, ChangeKind } from '../changes/change-subjects.js';
import type { Prisma } from '../database/client/client.js';
import { pauseWebhook } from '../webhooks/delivery-outcome.js';
import { createWebhook } from '../webhooks/webhook-changes.js';
import { requestAt, statementsOf } from './calls.js';
import type { Loading } from './calls.js';
import { demoOwner, mainWorkspace, platformAccount } from './company.js';
import { createRandom, idOf } from './random.js';
import { daysBefore, hourMs, workTime } from './times.js';

/** The address of the receiver while it does not run: the name never exists (RFC 2606). */
export const absentReceiver = 'https://hooks.meridian.invalid';

interface DemoWebhook {
  name: string;
  path: string;
  workspace?: string;
  filter: ChangeFilter;
  createdDaysAgo: number;
  /** The time since which the receiver fails, in hours before the end. */
  failingHours?: number;
  /** The response of the failing receiver. */
  failure?: { statusCode: number; answer: string };
  /** Hours before the end at which it was paused. */
  pausedHours?: number;
}

const desired: ChangeFilter['actions'] = ['created', 'updated', 'deleted'];

export const demoWebhooks: readonly DemoWebhook[] = [
  {
    name: 'Deployment dashboard',
    path: '/deployments',
    workspace: mainWorkspace,
    filter: { kinds: ['AGENT'], actions: desired },
    createdDaysAgo: 84,
  },
  {
    name: 'Batch alerts in chat',
    path: '/chat',
    workspace: mainWorkspace,
    filter: { kinds: ['JOB', 'VOLUME'], actions: desired },
    createdDaysAgo: 51,
    failingHours: 5,
    failure: { statusCode: 500, answer: '{"error":"channel_archived","channel":"#batch-alerts"}' },
  },
  {
    name: 'Security log',
    path: '/security',
    filter: { kinds: ['API_KEY', 'INVITATION', 'MEMBER'] },
    createdDaysAgo: 130,
    failingHours: 30 * 24,
    failure: { statusCode: 403, answer: '{"error":"ingest token expired"}' },
    pausedHours: 30,
  },
];

/** Creates the webhooks, and pauses the one that failed for too long. */
export async function createWebhooks(loading: Loading): Promise<void> {
  const { tx, end } = loading;
  for (const { name, path, workspace, filter, createdDaysAgo, failure, pausedHours } of demoWebhooks) {
    const createdAt = workTime(daysBefore(end, createdDaysAgo), name);
    const input = { name, url: `${absentReceiver}${path}`, workspace, filter };
    const { webhook } = await createWebhook(requestAt(loading, demoOwner, createdAt), input);
    if (pausedHours === undefined) continue;
    const which = { webhookId: webhook.id, accountId: webhook.accountId };
    const reason = `a delivery failed for 72 hours: returned ${failure?.statusCode ?? 0}`;
    await pauseWebhook(statementsOf(tx), which, reason, new Date(end.getTime() - pausedHours * hourMs));
  }
}

/** A change in the numbered log. */
interface LoggedChange {
  sequence: bigint;
  kind: ChangeKind;
  verb: ChangeAction;
  resourceId: string | null;
  time: Date;
}

/** Inserts the deliveries of the changes in the log. */
export async function insertDeliveries({ tx, end }: Loading): Promise<void> {
  const accountId = idOf(platformAccount);
  const { last } = await tx.changeHead.findUniqueOrThrow({ where: { accountId } });
  for (const webhook of demoWebhooks) {
    const { id } = await tx.webhook.findFirstOrThrow({ where: { accountId, name: webhook.name } });
    const sent = deliveriesOf(webhook, id, await matchingChanges(tx, webhook, end), end);
    await tx.webhookDelivery.createMany({ data: sent.map(({ delivery }) => delivery) });
    await tx.webhookAttempt.createMany({ data: sent.flatMap(({ attempts }) => attempts) });
    const succeeded = sent.findLast(({ delivery }) => delivery.status === 'delivered');
    const { failure, failingHours = 0, pausedHours } = webhook;
    const failed = retriesSince(new Date(end.getTime() - failingHours * hourMs), end);
    const isRetried = failure !== undefined && pausedHours === undefined;
    await tx.webhook.update({
      where: { id },
      data: {
        position: last,
        succeededAt: succeeded?.attempts.at(-1)?.time ?? null,
        ...(isRetried ? { failures: failed.times.length, blockedUntil: failed.nextAt } : {}),
      },
    });
  }
}

/** How many deliveries are retained of each webhook, and for how long (days). */
const deliveriesMax = 24;
const retainedDays = 28;

interface Sent {
  delivery: Prisma.WebhookDeliveryCreateManyInput & { status: string };
  attempts: (Prisma.WebhookAttemptCreateManyInput & { time: Date })[];
}

/** The newest changes that a webhook sends, in order. */
async function matchingChanges(
  tx: Prisma.TransactionClient,
  { workspace, filter: { kinds, actions }, pausedHours = 0 }: DemoWebhook,
  end: Date,
): Promise<LoggedChange[]> {
  const since = daysBefore(end, retainedDays);
  const until = new Date(end.getTime() - pausedHours * hourMs);
  const workspaceId = workspace === undefined ? null : idOf(workspace);
  const changes = await tx.$queryRaw<LoggedChange[]>`
    SELECT "sequence", "kind", "verb", "resource_id"::text AS "resourceId", "time" FROM "change"
    WHERE "account_id" = ${idOf(platformAccount)}::uuid AND "kind" = ANY(${kinds}) AND "time" >= ${since} AND "time" < ${until}
      AND (${actions ?? null}::text[] IS NULL OR "verb" = ANY(${actions ?? null}))
      AND (${workspaceId}::uuid IS NULL OR "workspace_id" = ${workspaceId}::uuid)
    ORDER BY "sequence" DESC LIMIT ${deliveriesMax}`;
  return changes.toReversed();
}

function deliveriesOf(
  { name, failure, failingHours = 0, pausedHours = 0 }: DemoWebhook,
  webhookId: string,
  changes: readonly LoggedChange[],
  end: Date,
): Sent[] {
  const until = end.getTime() - pausedHours * hourMs;
  const failingSince = end.getTime() - failingHours * hourMs;
  return changes.map(({ kind, verb, sequence, resourceId, time }) => {
    const random = createRandom(`${name} ${sequence}`);
    const id = randomUUID();
    const createdAt = new Date(time.getTime() + 200 + random.below(400));
    const common = {
      id,
      webhookId,
      accountId: idOf(platformAccount),
      reason: 'change',
      sequence,
      eventType: `${kind.toLowerCase()}.${verb}`,
      resourceId,
      createdAt,
    };
    const attempt = (number: number, at: Date) => ({
      deliveryId: id,
      number,
      time: at,
      latencyMs: 28 + random.below(240),
    });
    const first = new Date(createdAt.getTime() + 30);
    if (failure !== undefined && time.getTime() >= failingSince) {
      const isPaused = pausedHours > 0;
      const { times, nextAt } = retriesSince(
        first,
        new Date(isPaused ? Math.min(until, first.getTime() + 72 * hourMs) : end.getTime()),
      );
      const error = `returned ${failure.statusCode}`;
      return {
        delivery: {
          ...common,
          status: isPaused ? 'failed' : 'waiting',
          attemptCount: times.length,
          triedSince: first,
          nextAt,
        },
        attempts: times.map((at, index) => ({ ...attempt(index + 1, at), ...failure, error })),
      };
    }
    // Some receivers are restarted just then.
    const isRetried = random.percent(10);
    const second = new Date(first.getTime() + 5_300);
    const taken = { statusCode: 204, answer: '', error: null };
    const attempts = isRetried
      ? [
          { ...attempt(1, first), statusCode: 503, answer: '{"error":"restarting"}', error: 'returned 503' },
          { ...attempt(2, second), ...taken },
        ]
      : [{ ...attempt(1, first), ...taken }];
    return {
      delivery: { ...common, status: 'delivered', attemptCount: attempts.length, triedSince: first, nextAt: second },
      attempts,
    };
  });
}

/** The times of the attempts from the first up to an end, with the pauses of the service, and that of the next one. */
function retriesSince(first: Date, end: Date): { times: Date[]; nextAt: Date } {
  const times: Date[] = [];
  let at = first;
  for (let pauseSeconds = 5; at < end; pauseSeconds = Math.min(pauseSeconds * 4, 12 * 60 * 60)) {
    times.push(at);
    at = new Date(at.getTime() + pauseSeconds * 1_000);
  }
  return { times, nextAt: at };
}
