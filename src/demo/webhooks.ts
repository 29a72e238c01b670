// The webhooks of the demo: one that works, one whose receiver is down and that is retried, and one that was paused after
// three days of failures. Their receiver is a server of the demo itself (webhook-receiver.ts).
import type { ChangeRow } from '../changes/change-rows.js';
import { changeRowBySystem } from '../changes/record-as-system.js';
import { changeRowBy } from '../changes/record-changes.js';
import type { Prisma } from '../database/client/client.js';
import type { Encryption } from '../encryption.js';
import { createSecret } from '../webhooks/signature.js';
import { secretPurpose, urlColumns, webhookChange } from '../webhooks/webhook.js';
import type { StoredFilter, StoredWebhook } from '../webhooks/webhook.js';
import { requestBy } from './actors.js';
import { demoOperator, demoOwner, mainWorkspace, platformAccount } from './company.js';
import type { DemoAccount } from './company.js';
import { createRandom, idOf } from './random.js';
import { dayMs, hourMs, workTime } from './times.js';

/** The address of the receiver while it does not run: the name never exists (RFC 2606). */
export const absentReceiver = 'https://hooks.meridian.invalid';

interface DemoWebhook {
  name: string;
  path: string;
  workspace?: string;
  filter: StoredFilter;
  createdBy: string;
  createdDaysAgo: number;
  /** The time since which the receiver fails, in hours before the end. */
  failingHours?: number;
  /** The response of the failing receiver. */
  failure?: { statusCode: number; answer: string };
  /** Hours before the end at which it was paused. */
  pausedHours?: number;
}

const desired: StoredFilter['actions'] = ['created', 'updated', 'deleted'];

export const demoWebhooks: readonly DemoWebhook[] = [
  {
    name: 'Deployment dashboard',
    path: '/deployments',
    workspace: mainWorkspace,
    filter: { kinds: ['AGENT'], actions: desired },
    createdBy: demoOperator,
    createdDaysAgo: 84,
  },
  {
    name: 'Batch alerts in chat',
    path: '/chat',
    workspace: mainWorkspace,
    filter: { kinds: ['JOB', 'VOLUME'], actions: desired },
    createdBy: demoOperator,
    createdDaysAgo: 51,
    failingHours: 5,
    failure: { statusCode: 500, answer: '{"error":"channel_archived","channel":"#batch-alerts"}' },
  },
  {
    name: 'Security log',
    path: '/security',
    filter: { kinds: ['API_KEY', 'INVITATION', 'MEMBER'] },
    createdBy: demoOwner,
    createdDaysAgo: 130,
    failingHours: 30 * 24,
    failure: { statusCode: 403, answer: '{"error":"ingest token expired"}' },
    pausedHours: 30,
  },
];

export const webhookId = (name: string) => idOf(`${platformAccount} webhook ${name}`);

/** The changes of the webhooks of an account. */
export function webhookChanges({ name: account }: DemoAccount, end: Date): ChangeRow[] {
  if (account !== platformAccount) return [];
  return demoWebhooks.flatMap((webhook) => {
    const { workspaceId, createdAt, version, ...rest } = storedWebhook(webhook, end);
    const created = {
      ...rest,
      workspaceId,
      createdAt,
      version: 1,
      pausedAt: null,
      pauseReason: null,
      updatedAt: createdAt,
    };
    const request = requestBy(webhook.createdBy, createdAt, rest.id);
    const changes = webhookChange('created', `Created by ${webhook.createdBy}`, { after: created }).map((change) =>
      changeRowBy(request, workspaceId ?? undefined, change),
    );
    if (rest.pausedAt === null) return changes;
    const after = { ...rest, workspaceId, createdAt, version };
    const paused = webhookChange('status', `Paused: ${rest.pauseReason}`, {
      before: created,
      after,
      fields: ['paused'],
    });
    return [...changes, ...paused.map((change) => changeRowBySystem(workspaceId, after.updatedAt, change))];
  });
}

/** Inserts the webhooks of an account with their deliveries. @param changes its change log, in order */
export async function loadWebhooks(
  tx: Prisma.TransactionClient,
  encryption: Encryption,
  { name: account }: DemoAccount,
  changes: readonly ChangeRow[],
  end: Date,
): Promise<void> {
  if (account !== platformAccount) return;
  const deliveries: Prisma.WebhookDeliveryCreateManyInput[] = [];
  const attempts: Prisma.WebhookAttemptCreateManyInput[] = [];
  const webhooks = demoWebhooks.map((webhook): Prisma.WebhookCreateManyInput => {
    const { workspace: _, ...stored } = storedWebhook(webhook, end);
    const sent = deliveriesOf(webhook, changes, end);
    deliveries.push(...sent.map(({ delivery }) => delivery));
    attempts.push(...sent.flatMap((each) => each.attempts));
    const succeeded = sent.flatMap(({ delivery, attempts: made }) => (delivery.status === 'delivered' ? made : []));
    return {
      ...stored,
      ...urlColumns(encryption, stored.id, stored.url),
      filter: { ...webhook.filter },
      secret: encryption.ofRow('webhook', stored.id).encrypt(secretPurpose, createSecret()),
      position: changes.length,
      succeededAt: succeeded.at(-1)?.time ?? null,
    };
  });
  await tx.webhook.createMany({ data: webhooks });
  await tx.webhookDelivery.createMany({ data: deliveries });
  await tx.webhookAttempt.createMany({ data: attempts });
}

function storedWebhook(webhook: DemoWebhook, end: Date): StoredWebhook {
  const { name, path, workspace, filter, createdBy, createdDaysAgo, failure, failingHours = 0, pausedHours } = webhook;
  const createdAt = workTime(new Date(end.getTime() - createdDaysAgo * dayMs), name);
  const pausedAt = pausedHours === undefined ? null : new Date(end.getTime() - pausedHours * hourMs);
  const isRetried = failure !== undefined && pausedAt === null;
  const failed = retriesSince(new Date(end.getTime() - failingHours * hourMs), end);
  return {
    id: webhookId(name),
    version: pausedAt === null ? 1 : 2,
    accountId: idOf(platformAccount),
    workspaceId: workspace === undefined ? null : idOf(workspace),
    workspace: workspace === undefined ? null : { name: workspace },
    name,
    url: `${absentReceiver}${path}`,
    origin: absentReceiver,
    format: 'standard',
    filter: JSON.parse(JSON.stringify(filter)),
    previousEndsAt: null,
    pausedAt,
    pauseReason: pausedAt === null ? null : `a delivery failed for 72 hours: returned ${failure?.statusCode ?? 0}`,
    createdAt,
    createdBy,
    updatedAt: pausedAt ?? createdAt,
    failures: isRetried ? failed.times.length : 0,
    blockedUntil: isRetried ? failed.nextAt : null,
  };
}

/** How many deliveries are retained of each webhook, and for how long (days). */
const deliveriesMax = 24;
const retainedDays = 28;

interface Sent {
  delivery: Prisma.WebhookDeliveryCreateManyInput & { status: string };
  attempts: (Prisma.WebhookAttemptCreateManyInput & { time: Date })[];
}

function deliveriesOf(webhook: DemoWebhook, changes: readonly ChangeRow[], end: Date): Sent[] {
  const { name, workspace, filter, failure, failingHours, pausedHours = 0 } = webhook;
  const since = end.getTime() - retainedDays * dayMs;
  const until = end.getTime() - pausedHours * hourMs;
  const failingSince = failure === undefined ? end.getTime() : end.getTime() - (failingHours ?? 0) * hourMs;
  const matching = changes.flatMap((change, index) => {
    const { kinds, actions } = filter;
    const isMatch =
      kinds?.includes(change.kind) === true &&
      actions?.includes(change.verb) !== false &&
      (workspace === undefined || change.workspace_id === idOf(workspace));
    const time = Date.parse(change.time);
    return isMatch && time >= since && time < until ? [{ change, sequence: index + 1, time }] : [];
  });
  return matching.slice(-deliveriesMax).map(({ change, sequence, time }) => {
    const random = createRandom(`${name} ${sequence}`);
    const id = idOf(`${name} delivery ${sequence}`);
    const createdAt = new Date(time + 200 + random.below(400));
    const common = {
      id,
      webhookId: webhookId(name),
      accountId: idOf(platformAccount),
      reason: 'change',
      sequence,
      eventType: `${change.kind.toLowerCase()}.${change.verb}`,
      resourceId: change.resource_id ?? null,
      createdAt,
    };
    const attempt = (number: number, at: Date) => ({
      deliveryId: id,
      number,
      time: at,
      latencyMs: 28 + random.below(240),
    });
    const first = new Date(createdAt.getTime() + 30);
    if (failure !== undefined && time >= failingSince) {
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
