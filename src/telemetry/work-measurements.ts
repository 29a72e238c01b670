import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export interface WorkMeasurements {
  /** How many assignments there were when somebody last looked. */
  counted: (counts: { held: number; due: number; oldestDueSeconds: number }) => void;
  /** How many claims wait in this process. */
  waitsBy: (waiting: () => number) => void;
}

/** What executors hold, and what waits for them. */
export function createWorkMeasurements(registry: Registry): WorkMeasurements {
  const registers = [registry];
  const assignments = new Gauge({
    name: 'wcp_assignments',
    help: 'Assignments of all accounts when this process last looked: held under a lease, or due to be claimed.',
    labelNames: ['state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'wcp_assignment_oldest_due_seconds',
    help: 'For how long the assignment has been due that nobody has claimed for longest, when this process last looked.',
    registers,
  });
  let waiting = () => 0;
  const waits = new Gauge({
    name: 'wcp_executors_waiting',
    help: 'Claims that wait in this process for something to do.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  return {
    counted: ({ held, due, oldestDueSeconds }) => {
      assignments.set({ state: 'held' }, held);
      assignments.set({ state: 'due' }, due);
      oldest.set(oldestDueSeconds);
    },
    waitsBy: (count) => {
      waiting = count;
      waits.set(count());
    },
  };
}
