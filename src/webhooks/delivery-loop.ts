// Sends changes to webhooks, in every process: woken by the database where it tells of changes, and looking by itself in any
// case. Which process works on which webhook the database says; each webhook is worked on by itself, so that one whose
// receiver is slow keeps none of the others waiting.
import type { ChangeHub } from '../changes/change-hub.js';
import { workOn } from './courier.js';
import type { CourierSettings } from './courier.js';
import { endAllLeases, takeWebhooks } from './webhook-lease.js';
import type { Lease } from './webhook-lease.js';

export interface DeliveryLoop {
  /** Looks for what is to be sent, now. */
  look: () => void;
  /** How many webhooks are worked on. */
  working: () => number;
  /** Begins nothing more, waits for what is being sent, and gives it up after a while. */
  stop: (msMax: number) => Promise<void>;
}

export interface LoopSettings extends CourierSettings {
  changeHub: ChangeHub;
  /** Whether no other process has this database: what one before was killed over is taken up at once. */
  isAlone: boolean;
  /** Told of each look: how long it took, and whether it was one. */
  onLook: (seconds: number, isDone: boolean) => void;
  onFailure: (error: unknown) => void;
}

/** How many webhooks a process works on at a time, and how many of them may be of one account. */
const webhooksMax = 500;
const webhooksOfAccountMax = 20;
const takenMax = 20;

/** How often is looked, and how soon after another look. */
export const lookMs = 1_000;
const lookMsMin = 50;

export function startDeliveryLoop(settings: LoopSettings): DeliveryLoop {
  const { db, changeHub, onLook, onFailure } = settings;
  const giveUp = new AbortController();
  const works = new Map<string, { lease: Lease; work: Promise<void> }>();
  let looking: Promise<void> | undefined;
  let isWanted = false;
  let areLeasesOurs = !settings.isAlone;
  let isStopping = false;
  let silence: (() => void) | undefined;
  const goesOn = () => isWanted && !isStopping;
  const stopping = { isStopping: () => isStopping, signal: giveUp.signal };

  function look(): void {
    isWanted = true;
    if (isStopping) return;
    looking ??= lookAll().finally(() => {
      looking = undefined;
    });
  }

  async function lookAll(): Promise<void> {
    while (goesOn()) {
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
    const { taken, isAny } = await takeWebhooks(db, room, busyAccounts());
    listen(isAny);
    for (const lease of taken) begin(lease, startedMs);
    if (taken.length === room) isWanted = true;
  }

  function begin(lease: Lease, takenMs: number): void {
    const work = workOn(lease, takenMs, settings, stopping)
      .catch(onFailure)
      .finally(() => {
        works.delete(lease.webhookId);
        // What came while it was given back is not waited for.
        look();
      });
    works.set(lease.webhookId, { lease, work });
  }

  function busyAccounts(): string[] {
    const counts = new Map<string, number>();
    for (const { lease } of works.values()) counts.set(lease.accountId, (counts.get(lease.accountId) ?? 0) + 1);
    return [...counts].flatMap(([accountId, count]) => (count >= webhooksOfAccountMax ? [accountId] : []));
  }

  /** The database tells of changes while there is a webhook to tell of them. */
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
      const late = setTimeout(() => giveUp.abort(), msMax);
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
