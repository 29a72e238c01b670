// Sends the due deliveries of one webhook until none is left or the lease on the webhook expires.
import type { Database } from '../database/open.js';
import type { Encryption } from '../encryption.js';
import { eventIdOfDelivery } from './deliveries.js';
import { storeOutcome } from './delivery-outcome.js';
import { makeDeliveries, readWork } from './delivery-work.js';
import type { DueDelivery, OpenWebhook } from './delivery-work.js';
import type { EgressSettings } from './egress.js';
import { changeMessage, chatPayloads, testMessage } from './chat-message.js';
import { changePayload, testPayload } from './payload.js';
import { attemptMsMax, post } from './post.js';
import type { Outcome } from './post.js';
import { signedHeaders } from './signature.js';
import { secretPurpose, urlOf } from './webhook.js';
import { leaseMs, releaseLease, renewalMs, renewLease } from './webhook-lease.js';
import type { Lease } from './webhook-lease.js';

export interface SenderSettings {
  db: Database;
  encryption: Encryption;
  egress: EgressSettings;
  now: () => Date;
  /** The URL of the console. */
  publicUrl: string;
  /** The `User-Agent` header of each request. */
  userAgent: string;
  /** Called after each attempt. */
  onAttempt: (outcome: Outcome) => void;
}

/** The maximum number of concurrent attempts to a healthy webhook. A slow or failing one gets one at a time. */
const widthMax = 8;
const slowMs = 2_000;

/** The time reserved to store an outcome before the lease expires (ms). */
const marginMs = 5_000;

interface Stopping {
  /** Whether new attempts must no longer start. */
  isStopping: () => boolean;
  /** Aborts the attempts in progress. */
  signal: AbortSignal;
}

/** The deliveries of a webhook while they are sent. */
export interface Sending {
  /** Settles when the lease was released. */
  work: Promise<void>;
  /** Whether it only waits for its receiver, for longer than `waitedMs`. */
  isWaiting: () => boolean;
}

/** How long a receiver can take to respond until its webhook counts as waiting (ms). */
export const waitedMs = 100;

/**
 * Sends deliveries of a webhook until none is left, then releases the lease.
 *
 * @param takenMs the time the lease was requested, by `performance.now()`.
 */
export function sendDeliveries(lease: Lease, takenMs: number, settings: SenderSettings, stopping: Stopping): Sending {
  const sender = new WebhookSender(lease, takenMs, settings, stopping);
  return { work: sendAll(sender, lease, settings), isWaiting: () => sender.isWaiting() };
}

async function sendAll(sender: WebhookSender, lease: Lease, { db }: SenderSettings): Promise<void> {
  try {
    while (await sender.step());
  } finally {
    await sender.finishAttempts();
    await releaseLease(db, lease);
  }
}

class WebhookSender {
  private readonly sending = new Map<string, Promise<void>>();
  private queue: DueDelivery[] = [];
  private webhook: OpenWebhook | undefined;
  private width = widthMax;
  private isOver = false;
  /** The number of requests without a response, and when it last changed. */
  private open = 0;
  private openMs = 0;
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly lease: Lease,
    private leasedMs: number,
    private readonly settings: SenderSettings,
    private readonly stopping: Stopping,
  ) {}

  /** Starts due attempts and waits for one to finish. @returns whether more work may be left. */
  async step(): Promise<boolean> {
    if (this.failure !== undefined) throw this.failure.error;
    if (this.isOver || this.stopping.isStopping() || !(await this.holdsLease())) return false;
    if (this.queue.length === 0) await this.readQueue();
    const { webhook } = this;
    if (webhook === undefined) return false;
    while (this.sending.size < this.width && !this.stopping.isStopping()) {
      const next = this.queue.shift();
      if (next === undefined) break;
      this.send(webhook, next);
    }
    if (this.sending.size === 0) return this.queue.length > 0 || webhook.isBehind;
    await Promise.race(this.sending.values());
    return true;
  }

  isWaiting(): boolean {
    return this.open > 0 && this.open === this.sending.size && performance.now() - this.openMs > waitedMs;
  }

  async finishAttempts(): Promise<void> {
    await Promise.all(this.sending.values());
  }

  /** Whether the lease is still ours. Renews it when it is old. */
  private async holdsLease(): Promise<boolean> {
    const askedMs = performance.now();
    if (askedMs - this.leasedMs > renewalMs) {
      if (!(await renewLease(this.settings.db, this.lease))) return false;
      this.leasedMs = askedMs;
    }
    return true;
  }

  /** Reads due deliveries. Creates more from the change log when few are due. */
  private async readQueue(): Promise<void> {
    const { db, now } = this.settings;
    const first = await readWork(db, this.lease, [...this.sending.keys()]);
    const isShort = first !== undefined && first.due.length < widthMax;
    const work =
      isShort && first.webhook.isOpen && first.webhook.isBehind
        ? await makeDeliveries(db, this.lease, first.webhook, now()).then(() =>
            readWork(db, this.lease, [...this.sending.keys()]),
          )
        : first;
    this.webhook = work?.webhook;
    this.queue = work?.due ?? [];
    // A paused, blocked or full webhook gets no deliveries from the change log now.
    if (this.webhook !== undefined && !this.webhook.isOpen) this.webhook = { ...this.webhook, isBehind: false };
    if (this.webhook !== undefined && this.webhook.failures > 0) this.width = 1;
  }

  private send(webhook: OpenWebhook, delivery: DueDelivery): void {
    const sent = this.attempt(webhook, delivery)
      .catch((error: unknown) => {
        this.failure ??= { error };
      })
      .finally(() => this.sending.delete(delivery.id));
    this.sending.set(delivery.id, sent);
  }

  private async attempt(webhook: OpenWebhook, delivery: DueDelivery): Promise<void> {
    const { settings, lease, stopping } = this;
    // Another process may own the lease if this one was suspended, and would send the same delivery.
    if (performance.now() - this.leasedMs > leaseMs - attemptMsMax - marginMs) {
      this.isOver = true;
      return;
    }
    this.countOpen(1);
    const outcome = await this.sendDelivery(webhook, delivery).finally(() => this.countOpen(-1));
    // The attempt was aborted by our shutdown, not by the receiver: do not count it as a failure.
    if (stopping.signal.aborted && !outcome.isTaken) return;
    settings.onAttempt(outcome);
    const isWell = outcome.isTaken && outcome.latencyMs < slowMs;
    this.width = isWell ? Math.min(widthMax, this.width * 2) : 1;
    // Start nothing more while the outcome is being stored. What may be sent then is read with the next lease.
    if (outcome.retryAfterSeconds !== null) this.isOver = true;
    const { version } = await storeOutcome(settings.db, lease, delivery, outcome, settings.now);
    if (version === undefined) this.isOver = true;
    // The webhook was updated or the attempt failed: read the due deliveries again.
    if (version !== webhook.version || !outcome.isTaken) this.queue = [];
  }

  private countOpen(more: number): void {
    this.open += more;
    this.openMs = performance.now();
  }

  private async sendDelivery(webhook: OpenWebhook, delivery: DueDelivery): Promise<Outcome> {
    const { egress, userAgent, encryption, publicUrl } = this.settings;
    const { change, sequence } = delivery;
    if (change === undefined && sequence !== null) return notRetained;
    const secrets = [webhook.secret, webhook.previousSecret].flatMap((encryptedText) =>
      encryptedText === null
        ? []
        : (encryption.ofRow('webhook', webhook.id).decrypt(secretPurpose, encryptedText) ?? []),
    );
    if (secrets.length === 0) return notSigned;
    const url = urlOf(encryption, webhook);
    if (url === undefined) return notDecrypted;
    const body = payloadOf(webhook, delivery, publicUrl);
    // Receivers compare the timestamp with their own clocks, so use the system clock and not the injected one.
    const signed = signedHeaders(eventIdOfDelivery(delivery), new Date(), body, secrets);
    const headers = { ...signed, 'content-type': 'application/json', 'user-agent': userAgent };
    return post(url, headers, body, egress, this.stopping.signal);
  }
}

/** The body of a delivery, in the format of the webhook. */
function payloadOf(webhook: OpenWebhook, delivery: DueDelivery, publicUrl: string): string {
  const { change, createdAt } = delivery;
  if (webhook.format !== 'standard') {
    const message = change === undefined ? testMessage(webhook) : changeMessage(change, webhook.account, publicUrl);
    return chatPayloads[webhook.format](message);
  }
  if (change === undefined) return testPayload(webhook, new Date(createdAt).toISOString());
  return changePayload(change, webhook.workspaceId === null);
}

const notSent = { isTaken: false, latencyMs: 0, statusCode: null, answer: null, retryAfterSeconds: null };
const notRetained: Outcome = { ...notSent, error: 'the change is no longer retained' };
const notSigned: Outcome = { ...notSent, error: 'the secret cannot be decrypted: rotate it' };
const notDecrypted: Outcome = { ...notSent, error: 'the URL cannot be decrypted: set it again' };
