// Sends what is to be sent to one webhook, as long as there is something and the lease on it lasts.
import type { Database } from '../database/open.js';
import type { Seal } from '../encryption.js';
import { eventIdOfDelivery } from './deliveries.js';
import { keepOutcome } from './delivery-outcome.js';
import { makeDeliveries, readWork } from './delivery-work.js';
import type { DueDelivery, OpenWebhook } from './delivery-work.js';
import type { EgressSettings } from './egress.js';
import { changePayload, testPayload } from './payload.js';
import { attemptMsMax, post } from './post.js';
import type { Outcome } from './post.js';
import { signedHeaders } from './signature.js';
import { secretPurpose } from './webhook.js';
import { leaseMs, releaseLease, renewalMs, renewLease } from './webhook-lease.js';
import type { Lease } from './webhook-lease.js';

export interface CourierSettings {
  db: Database;
  seal: Seal;
  egress: EgressSettings;
  now: () => Date;
  /** As the receiver sees who sends. */
  userAgent: string;
  /** Told of each attempt. */
  onAttempt: (outcome: Outcome) => void;
}

/** How many attempts are made at a time to a webhook that is well, and to one that is slow or fails. */
const widthMax = 8;
const slowMs = 2_000;

/** What keeping an outcome may take before the lease is over. */
const marginMs = 5_000;

interface Stopping {
  /** Nothing more is begun. */
  isStopping: () => boolean;
  /** What has begun is given up. */
  signal: AbortSignal;
}

/** Works on a webhook until nothing is left to do, and gives the lease back. @param takenMs when the lease was asked for. */
export async function workOn(
  lease: Lease,
  takenMs: number,
  settings: CourierSettings,
  stopping: Stopping,
): Promise<void> {
  const { db } = settings;
  const round = new Round(lease, takenMs, settings, stopping);
  try {
    while (await round.goOn());
  } finally {
    await round.settled();
    await releaseLease(db, lease);
  }
}

class Round {
  private readonly sending = new Map<string, Promise<void>>();
  private queue: DueDelivery[] = [];
  private webhook: OpenWebhook | undefined;
  private width = widthMax;
  private isOver = false;
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly lease: Lease,
    private leasedMs: number,
    private readonly settings: CourierSettings,
    private readonly stopping: Stopping,
  ) {}

  /** One step. @returns whether there may be more. */
  async goOn(): Promise<boolean> {
    if (this.failure !== undefined) throw this.failure.error;
    if (this.isOver || this.stopping.isStopping() || !(await this.holds())) return false;
    if (this.queue.length === 0) await this.fill();
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

  async settled(): Promise<void> {
    await Promise.all(this.sending.values());
  }

  /** Whether the lease lasts for one more attempt, with what is kept of it. */
  private async holds(): Promise<boolean> {
    const askedMs = performance.now();
    if (askedMs - this.leasedMs > renewalMs) {
      if (!(await renewLease(this.settings.db, this.lease))) return false;
      this.leasedMs = askedMs;
    }
    return true;
  }

  /** Reads what is next, and makes more of what has happened when that is not much. */
  private async fill(): Promise<void> {
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
    // What waits for room, or for its address, has nothing to do here.
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
    // A process that slept through its lease must not send what another one has sent meanwhile.
    if (performance.now() - this.leasedMs > leaseMs - attemptMsMax - marginMs) {
      this.isOver = true;
      return;
    }
    const outcome = await this.handOver(webhook, delivery);
    // What was given up here because this process ends is no fault of the receiver: it is sent again.
    if (stopping.signal.aborted && !outcome.isTaken) return;
    settings.onAttempt(outcome);
    const isWell = outcome.isTaken && outcome.latencyMs < slowMs;
    this.width = isWell ? Math.min(widthMax, this.width * 2) : 1;
    const { version } = await keepOutcome(settings.db, lease, delivery, outcome, settings.now);
    if (version === undefined) this.isOver = true;
    // It was changed, or it failed: what was read is looked at again.
    if (version !== webhook.version || !outcome.isTaken) this.queue = [];
  }

  private async handOver(webhook: OpenWebhook, delivery: DueDelivery): Promise<Outcome> {
    const { egress, userAgent, seal } = this.settings;
    const { change, sequence, workspace } = delivery;
    if (change === undefined && sequence !== null) return notKept;
    const secrets = [webhook.secret, webhook.previousSecret].flatMap((sealed) =>
      sealed === null ? [] : (seal.ofRow('webhook', webhook.id).open(secretPurpose, sealed) ?? []),
    );
    if (secrets.length === 0) return notSigned;
    const body =
      change === undefined
        ? testPayload(webhook, new Date(delivery.createdAt).toISOString())
        : changePayload(change, workspace, webhook.workspaceId === null);
    // Receivers compare the time with their own clocks, so it is that of this machine, however the service is told to count.
    const signed = signedHeaders(eventIdOfDelivery(delivery), new Date(), body, secrets);
    const headers = { ...signed, 'content-type': 'application/json', 'user-agent': userAgent };
    return post(webhook.url, headers, body, egress, this.stopping.signal);
  }
}

const notSent = { isTaken: false, latencyMs: 0, statusCode: null, answer: null };
const notKept: Outcome = { ...notSent, error: 'the change is no longer kept' };
const notSigned: Outcome = { ...notSent, error: 'the secret cannot be opened: rotate it' };
