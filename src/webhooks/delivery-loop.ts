// The delivery loop, which runs in every process. Change notifications of the database wake it, and it also polls.
// Leases assign each webhook to one process, and webhooks are served independently. A place is for sending, not for
// waiting: a webhook whose receiver does not respond gives its place to another one.
import type { ChangeHub } from '../changes/change-hub.js';
import { sendDeliveries, waitedMs } from './webhook-sender.js';
import type { Sending, SenderSettings } from './webhook-sender.js';
import { accountsMax, endAllLeases, takeWebhooks } from './webhook-lease.js';
import type { Lease } from './webhook-lease.js';

export interface DeliveryLoop {
  /** Polls for due deliveries now. */
  look: () => void;
  /** The number of webhooks being served. */
  working: () => number;
  /** Starts nothing new, waits up to `msMax` for the attempts in progress, then aborts them. */
  stop: (msMax: number) => Promise<void>;
}

export interface LoopSettings extends SenderSettings {
  changeHub: ChangeHub;
  /** Whether no other process uses this database. Leases of a previous, killed process are then ended at once. */
  isAlone: boolean;
  /** Called after each poll with its duration (seconds) and whether it succeeded. */
  onLook: (seconds: number, isDone: boolean) => void;
  onFailure: (error: unknown) => void;
}

/** The maximum number of webhooks that a process serves at a time, and of those of an account that do not only wait. */
const webhooksMax = 500;
const activeOfAccountMax = 20;
const takenMax = 20;

/** The polling interval, and the minimum time between two polls that changes cause (ms). */
export const lookMs = 1_000;
const lookMsMin = 100;

export function startDeliveryLoop(settings: LoopSettings): DeliveryLoop {
  const { db, changeHub, onLook, onFailure } = settings;
  const abortAttempts = new AbortController();
  const works = new Map<string, Sending & { lease: Lease }>();
  let looking: Promise<void> | undefined;
  let isWanted = false;
  let areLeasesOurs = !settings.isAlone;
  let isStopping = false;
  let later: NodeJS.Timeout | undefined;
  let woken: NodeJS.Timeout | undefined;
  let lookedMs = 0;
  /** The accounts whose changes are sent; undefined for those of all. */
  let accounts: ReadonlySet<string> | undefined = new Set();
  let silence: (() => void) | undefined;
  const isPolling = () => isWanted && !isStopping;
  const stopping = { isStopping: () => isStopping, signal: abortAttempts.signal };

  function look(): void {
    isWanted = true;
    if (isStopping) return;
    looking ??= pollAll().finally(() => {
      looking = undefined;
    });
  }

  async function pollAll(): Promise<void> {
    while (isPolling()) {
      isWanted = false;
      const startedMs = performance.now();
      lookedMs = startedMs;
      try {
        await lookOnce(startedMs);
        onLook((performance.now() - startedMs) / 1_000, true);
      } catch (error) {
        onLook((performance.now() - startedMs) / 1_000, false);
        onFailure(error);
        return;
      }
      if (isWanted) await pause(lookMsMin);
    }
  }

  async function lookOnce(startedMs: number): Promise<void> {
    if (!areLeasesOurs) await endAllLeases(db);
    areLeasesOurs = true;
    const room = Math.min(takenMax, webhooksMax - works.size);
    if (room === 0) return;
    const { busy, busyFailing } = busyAccounts();
    const { leases, accountIds } = await takeWebhooks(db, room, busy, busyFailing);
    listen(accountIds);
    for (const lease of leases) begin(lease, startedMs);
    if (leases.length === room) isWanted = true;
    // Receivers that do not respond in this time give their places back.
    if (busyAccounts().busy.length > 0) later ??= setTimeout(lookLater, waitedMs).unref();
  }

  function lookLater(): void {
    later = undefined;
    look();
  }

  function begin(lease: Lease, takenMs: number): void {
    const sending = sendDeliveries(lease, takenMs, settings, stopping);
    const work = sending.work.catch(onFailure).finally(() => {
      works.delete(lease.webhookId);
      // Changes may have arrived while the lease was being released.
      look();
    });
    works.set(lease.webhookId, { ...sending, lease, work });
  }

  /**
   * The accounts that get no more webhooks now. An account gets at most half of what the others leave, and its failing
   * webhooks at most half of that.
   */
  function busyAccounts(): { busy: string[]; busyFailing: string[] } {
    const counts = new Map<string, { all: number; active: number }>();
    for (const { lease, isWaiting } of works.values()) {
      const { all, active } = counts.get(lease.accountId) ?? { all: 0, active: 0 };
      counts.set(lease.accountId, { all: all + 1, active: active + (isWaiting() ? 0 : 1) });
    }
    const busy: string[] = [];
    const busyFailing: string[] = [];
    for (const [accountId, { all, active }] of counts) {
      const share = (webhooksMax - (works.size - all)) / 2;
      if (active >= activeOfAccountMax || all >= share) busy.push(accountId);
      if (all >= share / 2) busyFailing.push(accountId);
    }
    return { busy, busyFailing };
  }

  /** Listens to change notifications only while a webhook is active. */
  function listen(accountIds: readonly string[]): void {
    accounts = accountIds.length > accountsMax ? undefined : new Set(accountIds);
    if (accountIds.length > 0) silence ??= changeHub.hear(wake);
    else {
      silence?.();
      silence = undefined;
    }
  }

  /** Polls because of a change. A change of an account whose first webhook is newer than the last poll waits for the next. */
  function wake(accountId: string): void {
    if (accounts?.has(accountId) === false) return;
    woken ??= setTimeout(
      () => {
        woken = undefined;
        look();
      },
      Math.max(0, lookedMs + lookMsMin - performance.now()),
    ).unref();
  }

  const timer = setInterval(look, lookMs);
  timer.unref();
  look();
  return {
    look,
    working: () => works.size,
    stop: async (msMax) => {
      isStopping = true;
      clearInterval(timer);
      clearTimeout(later);
      clearTimeout(woken);
      silence?.();
      const late = setTimeout(() => abortAttempts.abort(), msMax);
      await looking;
      await Promise.all(Array.from(works.values(), ({ work }) => work));
      clearTimeout(late);
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
