// The events that the history and the costs of the demo share.
import { demoOperator } from './company.js';
import { dayMs, hourMs, minuteMs } from './times.js';
import { incidentDay } from './usage-shape.js';

/** An agent that was scaled, which is the largest increase of the costs. */
export const scaledAgent = { name: 'demurrage-forecaster', from: { minScale: 2, maxScale: 10 }, by: demoOperator };

/** The time of the scaling: on the last weekday that is at least four days before the end. */
export function scaledAt(end: Date): Date {
  const day = new Date(Math.floor(end.getTime() / dayMs - 4) * dayMs);
  const weekday = day.getUTCDay();
  const back = weekday === 0 ? 2 : weekday === 6 ? 1 : 0;
  return new Date(day.getTime() - back * dayMs + 9 * hourMs + 24 * minuteMs);
}

/** The bad deployment of the invoice team, and its rollback the next morning. */
export function incidentOf(end: Date): { deployedAt: Date; rolledBackAt: Date } {
  const day = incidentDay(end).getTime();
  return { deployedAt: new Date(day - 40 * minuteMs), rolledBackAt: new Date(day + dayMs + 8 * hourMs) };
}

/** A nightly job whose source is closed on Sundays. */
export const sundayJob = 'tariff-import';

/** A job whose tasks often succeed only when they are retried. */
export const retryingJob = 'demurrage-run';

/** A job with more requests than it can execute. */
export const queuedJob = 'bill-of-lading-ocr';
