// The meter of the simulated data plane. Running resources, the end of their last measurement, and unsent events are
// stored in a file, which is written before anything is sent or reported. After a crash the meter continues from the
// file without a gap. Events that it sends twice are duplicates by their id.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { meteredFrom, usageOfRun, usageUntil } from './data-plane-usage.js';
import type { Metered, MeteredEvent } from './data-plane-usage.js';
import type { DemoAssignment } from './data-plane-steps.js';

export interface MeterSettings {
  /** Address of the gateway. */
  origin: string;
  /** Keys that may record usage, by account id. Resources of other accounts are not measured. */
  keys: Record<string, string>;
  /** The path of its state file. */
  file: string;
  now: () => number;
}

export interface Meter {
  /** Called after each completed step, before the report to the gateway. @param since the start of a run */
  note: (assignment: DemoAssignment, state: string, since: number) => void;
  /**
   * Measures the running resources, and sends the events. Events that the gateway does not accept are sent again the
   * next time.
   */
  send: () => Promise<void>;
}

interface Kept {
  running: Record<string, Metered>;
  outbox: MeteredEvent[];
}

/** With this many unsent events, nothing more is measured. The next measurement covers the pause. */
const waitingMax = 5_000;
const batchMax = 500;
const answerMsMax = 10_000;

export function openMeter({ origin, keys, file, now }: MeterSettings): Meter {
  const savedState = readKept(file);

  const keep = () => {
    writeFileSync(`${file}.new`, JSON.stringify(savedState), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };

  /** If the clock was set back, nothing is measured until it has caught up. */
  const measure = (thing: Metered | undefined, at: number) => {
    if (thing === undefined || at <= thing.until) return;
    savedState.outbox.push(...usageUntil(thing, at));
    thing.until = at;
  };

  const note: Meter['note'] = (assignment, state, since) => {
    const { id, fence, resourceId, accountId, action } = assignment;
    if (!Object.hasOwn(keys, accountId)) return;
    const at = now();
    if (action === 'RUN') {
      if (state === 'RUNNING') return;
      savedState.outbox.push(...usageOfRun(assignment, `${id} ${fence}`, since, at));
    } else {
      if (state !== 'DEPLOYED' && state !== 'DEACTIVATED' && state !== 'TERMINATED') return;
      const before = savedState.running[resourceId];
      measure(before, at);
      if (state === 'TERMINATED') delete savedState.running[resourceId];
      else {
        const from = Math.max(at, before?.until ?? at);
        savedState.running[resourceId] = meteredFrom(assignment, state === 'DEPLOYED', from);
      }
    }
    keep();
  };

  const send = async () => {
    if (savedState.outbox.length < waitingMax)
      for (const thing of Object.values(savedState.running)) measure(thing, now());
    keep();
    for (const [account, key] of Object.entries(keys)) {
      for (;;) {
        const batch = savedState.outbox.filter((event) => event.account === account).slice(0, batchMax);
        if (batch.length === 0 || !(await isTaken(origin, key, batch))) break;
        const sent = new Set(batch);
        savedState.outbox = savedState.outbox.filter((event) => !sent.has(event));
        keep();
      }
    }
  };

  return { note, send };
}

interface Receipt {
  results?: { outcome: string; message?: string }[];
}

/** Whether the event need not be sent again. An invalid event stays invalid. */
async function isTaken(origin: string, key: string, events: MeteredEvent[]): Promise<boolean> {
  try {
    const response = await fetch(`${origin}/v0/usage/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify(events),
      signal: AbortSignal.timeout(answerMsMax),
    });
    const text = await response.text();
    if (response.status !== 200) return false;
    const { results = [] }: Receipt = JSON.parse(text);
    const refused = results.filter(({ outcome }) => outcome !== 'accepted' && outcome !== 'duplicate');
    const [first] = refused;
    if (first !== undefined) {
      process.stderr.write(`${refused.length} usage events were not taken: ${first.message ?? first.outcome}\n`);
    }
    return true;
  } catch {
    // The gateway is temporarily unavailable.
    return false;
  }
}

/** A missing or unreadable file counts as empty: resources created before are not measured. */
function readKept(file: string): Kept {
  try {
    const state: Kept = JSON.parse(readFileSync(file, 'utf8'));
    return { running: { ...state.running }, outbox: [...state.outbox] };
  } catch {
    return { running: {}, outbox: [] };
  }
}
