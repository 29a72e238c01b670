import { describe, expect, it } from 'vitest';
import { sharesOf, statePeriodsOf } from '../../../src/console/web/resources/state-periods.js';

const hourMs = 3_600_000;
const at = (hour: number) => new Date(hour * hourMs).toISOString();
const events = [
  { time: at(1), status: 'UPLOADING' },
  { time: at(2), status: 'DEPLOYED' },
  { time: at(3), status: 'UPDATED' },
  { time: at(4), status: 'DEPLOYED' },
  { time: at(8), status: 'FAILED' },
  { time: null, status: 'DEPLOYED' },
  { time: at(9), status: null },
];

describe('The states of a resource over time', () => {
  it('follow each other up to now, and ignore events without a state', () => {
    expect(statePeriodsOf(events, 0, 10 * hourMs)).toEqual([
      { tone: 'in-progress', fromMs: hourMs, toMs: 2 * hourMs },
      { tone: 'healthy', fromMs: 2 * hourMs, toMs: 8 * hourMs },
      { tone: 'failed', fromMs: 8 * hourMs, toMs: 10 * hourMs },
    ]);
  });

  it('start at the requested time with the state of that time', () => {
    expect(statePeriodsOf(events, 6 * hourMs, 10 * hourMs).map(({ tone, fromMs }) => [tone, fromMs / hourMs])).toEqual([
      ['healthy', 6],
      ['failed', 8],
    ]);
    expect(statePeriodsOf([], 0, hourMs)).toEqual([]);
  });

  it('end with the present state, also if its event is newer than the clock of the page', () => {
    const deployed = [
      { time: at(1), status: 'BUILDING' },
      { time: at(2), status: 'DEPLOYED' },
    ];
    for (const behindMs of [-5_000, 0, 10_000]) {
      expect(statePeriodsOf(deployed, 0, 2 * hourMs - behindMs).map(({ tone }) => tone)).toEqual([
        'in-progress',
        'healthy',
      ]);
    }
  });

  it('have shares that add up to one', () => {
    const shares = sharesOf(statePeriodsOf(events, 0, 10 * hourMs));
    expect(shares.map(({ tone }) => tone)).toEqual(['failed', 'in-progress', 'healthy']);
    expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });
});
