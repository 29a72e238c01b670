import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export interface WorkMetrics {
  /** Records the numbers of assignments at the last check. */
  counted: (counts: { leased: number; due: number; oldestDueSeconds: number }) => void;
  /** Sets the source of the number of waiting claims. */
  waitsBy: (waiting: () => number) => void;
}

/** Metrics of assignments for executors. */
export function createWorkMetrics(registry: Registry): WorkMetrics {
  const registers = [registry];
  const assignments = new Gauge({
    name: 'wcp_assignments',
    help: 'Assignments of all accounts at the last check of this process: leased, or due to be claimed (due).',
    labelNames: ['state'],
    registers,
  });
  const oldest = new Gauge({
    name: 'wcp_assignment_oldest_due_seconds',
    help: 'Time that the oldest unclaimed assignment has been due, at the last check of this process (seconds).',
    registers,
  });
  let waiting = () => 0;
  const waits = new Gauge({
    name: 'wcp_executors_waiting',
    help: 'Claims of executors that wait for assignments in this process.',
    registers,
    collect() {
      this.set(waiting());
    },
  });
  return {
    counted: ({ leased, due, oldestDueSeconds }) => {
      assignments.set({ state: 'leased' }, leased);
      assignments.set({ state: 'due' }, due);
      oldest.set(oldestDueSeconds);
    },
    waitsBy: (count) => {
      waiting = count;
      waits.set(count());
    },
  };
}
