import { describe, expect, it } from 'vitest';
import { activeFilters, listFilter } from '../../../src/console/web/lists/active-filters.js';
import { listSearch } from '../../../src/console/web/lists/list-search.js';
import { isSameView, storedViews } from '../../../src/console/web/lists/saved-views.js';
import { nextRuns, scheduleText } from '../../../src/console/web/look/schedule.js';
import { storedColumns } from '../../../src/console/web/lists/use-columns.js';

describe('The search of a list', () => {
  it('reads the filters of a URL and leaves out what it does not know', () => {
    expect(
      listSearch({
        q: 42,
        sort: 'newest',
        state: 'failed',
        region: 'eu-frankfurt-1',
        generation: 'MK3',
        label: ['team:billing', 7, 'team:billing', ''],
        createdBy: 'ana@example.com',
        other: 1,
      }),
    ).toEqual({
      q: '42',
      state: 'failed',
      region: 'eu-frankfurt-1',
      generation: 'MK3',
      label: ['team:billing'],
      createdBy: 'ana@example.com',
    });
    expect(listSearch({ sort: 'nothing', state: 'gone', generation: 'mk9', label: 'team' })).toEqual({
      label: ['team'],
    });
  });

  it('becomes a filter of the API', () => {
    expect(listFilter({})).toBeUndefined();
    expect(listFilter({ q: 'a', sort: 'name' })).toBeUndefined();
    expect(
      listFilter({ state: 'failed', region: 'eu', generation: 'MK2', label: ['a:b:c', 'team'], createdBy: 'ana' }),
    ).toEqual({
      status: { in: ['FAILED'] },
      region: { in: ['eu'] },
      generation: { in: ['MK2'] },
      labels: [
        { key: 'a', in: ['b:c'] },
        { key: 'team', isSet: true },
      ],
      createdBy: { in: ['ana'] },
    });
  });

  it('names each filter, with the search that is left without it', () => {
    const search = { q: 'x', state: 'failed', label: ['a:b', 'c:d'], sort: 'name' } as const;
    const filters = activeFilters({ ...search, label: [...search.label] });
    expect(filters.map(({ name, text }) => `${name} ${text}`)).toEqual([
      'Search “x”',
      'State Failed',
      'Label a: b',
      'Label c: d',
    ]);
    expect(filters[1]?.without).toEqual({ q: 'x', label: ['a:b', 'c:d'], sort: 'name' });
    expect(filters[2]?.without).toEqual({ q: 'x', state: 'failed', label: ['c:d'], sort: 'name' });
  });
});

describe('Saved views', () => {
  it('are read from storage that anybody can have written', () => {
    expect(storedViews('nonsense')).toEqual([]);
    expect(
      storedViews([
        null,
        { name: 1, search: {} },
        { name: 'Failing', search: { state: 'failed', peek: 'one', new: true, other: 1 } },
        { name: 'By name', search: { sort: 'name' } },
      ]),
    ).toEqual([
      { name: 'By name', search: { sort: 'name' } },
      { name: 'Failing', search: { state: 'failed' } },
    ]);
  });

  it('are the same list whatever is open beside it', () => {
    expect(isSameView({ state: 'failed', region: 'eu' }, { region: 'eu', state: 'failed', peek: 'one' })).toBe(true);
    expect(isSameView({ state: 'failed' }, {})).toBe(false);
  });
});

it('shows the remembered columns of a kind in the order of the table', () => {
  expect(storedColumns(['updated', 'labels', 'schedule', 'nothing', 3], 'agents')).toEqual([
    'name',
    'state',
    'labels',
    'updated',
  ]);
  expect(storedColumns(undefined, 'jobs')).toContain('schedule');
  expect(storedColumns(undefined, 'volumes')).toContain('created');
});

describe('The schedule of a job', () => {
  it.each([
    ['30 2 * * 1-5', 'At 02:30, Monday through Friday'],
    ['no schedule', 'no schedule'],
    ['0 9 */1 * 1-5', 'At 09:00, Monday through Friday'],
    ['0 9 1,*/1 * mon-fri', 'At 09:00, Monday through Friday'],
    ['*,5 * * * *', 'Every minute'],
    ['0 0 * * 0-7', 'At 00:00, Sunday through Saturday'],
    ['*/75 * * * *', 'Every hour'],
    ['0 0 * * 1/2', 'At 00:00, only on Sunday, Monday, Wednesday, and Friday'],
    // Either day is enough.
    ['0 0 13 * 5', 'At 00:00, on day 13 of the month, or at 00:00, only on Friday'],
  ])('is shown in words: %j is %j', (schedule, text) => {
    expect(scheduleText(schedule)).toBe(text);
  });

  it('has a next time in its own time zone, or none', () => {
    const next = (schedule: string, zone: string) =>
      nextRuns(schedule, zone, new Date('2026-11-20T12:00:00Z'), 1)?.map((time) => time.toISOString());
    expect(next('30 2 * * *', 'America/New_York')).toEqual(['2026-11-21T07:30:00.000Z']);
    expect(next('5/15 * * * *', 'UTC')).toEqual(['2026-11-20T12:05:00.000Z']);
    expect(next('0 9 */1 * 1-5', 'UTC')).toEqual(['2026-11-23T09:00:00.000Z']);
    expect(next('0 0 30 2 *', 'UTC')).toEqual([]);
    expect(next('30 2 * * *', 'Nowhere/Town')).toBeUndefined();
  });
});
