import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronProblem } from '../../src/schema/cron-expression.js';
import { cronSchedule } from '../../src/schema/cron-schedule.js';

describe('A cron schedule', () => {
  it.each([
    '* * * * *',
    '0 0 1 1 0',
    '59 23 31 12 7',
    '*/5 * * * *',
    '0-30/10 8-18 * * mon-fri',
    '0 3 * * *',
    '1,2,3 4,5 * jan,jul sun',
    '0 0 1-7,15-21 * MON',
    '0 0 * Feb-Nov *',
    '00 07 01 * *',
    '  0   3\t*  *  * ',
  ])('can be %j', (schedule) => {
    expect(cronProblem(schedule)).toBeUndefined();
    expect(cronSchedule.safeParse(schedule).success).toBe(true);
  });

  it.each(['', '*', '* * * *', '* * * * * *', '0 0 0 * * *', '@daily', '@every 5m', '@reboot'])(
    'must have exactly five fields, unlike %j',
    (schedule) => {
      expect(cronProblem(schedule)).toBe('must have exactly five fields: minute hour day month weekday');
      expect(cronSchedule.safeParse(schedule).success).toBe(false);
    },
  );

  it.each([
    ['60 * * * *', 'minute'],
    ['-1 * * * *', 'minute'],
    ['* 24 * * *', 'hour'],
    ['* * 0 * *', 'day of month'],
    ['* * 32 * *', 'day of month'],
    ['* * L * *', 'day of month'],
    ['* * ? * *', 'day of month'],
    ['* * 15W * *', 'day of month'],
    ['* * * 0 *', 'month'],
    ['* * * 13 *', 'month'],
    ['* * * monday *', 'month'],
    ['* * * sun *', 'month'],
    ['* * * * 8', 'day of week'],
    ['* * * * mon#2', 'day of week'],
    ['* * * * 5L', 'day of week'],
    ['jan * * * *', 'minute'],
    ['*/0 * * * *', 'minute'],
    ['*/-1 * * * *', 'minute'],
    ['*/a * * * *', 'minute'],
    ['*/ * * * *', 'minute'],
    ['*/5/5 * * * *', 'minute'],
    ['/5 * * * *', 'minute'],
    ['5- * * * *', 'minute'],
    ['-5 * * * *', 'minute'],
    ['5-4 * * * *', 'minute'],
    ['1-2-3 * * * *', 'minute'],
    ['*-5 * * * *', 'minute'],
    ['1, * * * *', 'minute'],
    [', * * * *', 'minute'],
    ['1.5 * * * *', 'minute'],
    ['0x5 * * * *', 'minute'],
    ['٣ * * * *', 'minute'],
    ['** * * * *', 'minute'],
    ['constructor * * * *', 'minute'],
  ])('cannot be %j: its %s is not valid', (schedule, field) => {
    expect(cronProblem(schedule)).toContain(`has an invalid ${field}`);
  });

  it('accepts every value within its bounds, alone, in ranges, lists and steps', () => {
    const bounds = [
      [0, 59],
      [0, 23],
      [1, 31],
      [1, 12],
      [0, 7],
    ] as const;
    const item = ([minimum, maximum]: readonly [number, number]) =>
      fc.oneof(
        fc.constant('*'),
        fc.integer({ min: minimum, max: maximum }).map(String),
        fc
          .tuple(fc.integer({ min: minimum, max: maximum }), fc.integer({ min: minimum, max: maximum }))
          .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
        fc.integer({ min: 1, max: maximum }).map((step) => `*/${step}`),
      );
    const field = (bound: readonly [number, number]) =>
      fc.array(item(bound), { minLength: 1, maxLength: 3 }).map((items) => items.join(','));
    fc.assert(
      fc.property(fc.tuple(...bounds.map(field)), (fields) => {
        expect(cronProblem(fields.join(' '))).toBeUndefined();
      }),
    );
  });
});
