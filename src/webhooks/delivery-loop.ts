// The delivery loop, which runs in every process. Change notifications of the database wake it, and it also polls.
// Leases assign each webhook to one process, and webhooks are served independently: a slow receiver delays no other
// webhook.
import type { ChangeHub } from '../changes/change-hub.js';
import { sendDeliveries } from './webhook-sender.js';
import type { SenderSettings } from './webhook-sender.js';
import { endAllLeases, takeWebhooks } from './webhook-lease.js';
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

/** The maximum number of webhooks that a process serves at a time, in total and per account. */
const webhooksMax = 500;
const webhooksOfAccountMax = 20;
const takenMax = 20;

/** The polling interval, and the minimum pause between two polls (ms). */
export const lookMs = 1_000;
const lookMsMin = 50;

export function startDeliveryLoop(settings: LoopSettings): DeliveryLoop {
  const { db, changeHub, onLook, onFailure } = settings;
  const abortAttempts = new AbortController();
  const works = new Map<string, { lease: Lease; work: Promise<void> }>();
  let looking: Promise<void> | undefined;
  let isWanted = false;
  let areLeasesOurs = !settings.isAlone;
  let isStopping = false;
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
    const { leases, isAny } = await takeWebhooks(db, room, busyAccounts());
    listen(isAny);
    for (const lease of leases) begin(lease, startedMs);
    if (leases.length === room) isWanted = true;
  }

  function begin(lease: Lease, takenMs: number): void {
    const work = sendDeliveries(lease, takenMs, settings, stopping)
      .catch(onFailure)
      .finally(() => {
        works.delete(lease.webhookId);
        // Changes may have arrived while the lease was being released.
        look();
      });
    works.set(lease.webhookId, { lease, work });
  }

  function busyAccounts(): string[] {
    const counts = new Map<string, number>();
    for (const { lease } of works.values()) counts.set(lease.accountId, (counts.get(lease.accountId) ?? 0) + 1);
    return [...counts].flatMap(([accountId, count]) => (count >= webhooksOfAccountMax ? [accountId] : []));
  }

  /** Listens to change notifications only while a webhook is active. */
  function listen(isAny: boolean): void {
    if (isAny) silence ??= changeHub.hear(look);
    else {
      silence?.();
      silence = undefined;
    }
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
