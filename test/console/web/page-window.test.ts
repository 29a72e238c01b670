// A window onto a very long list, with a server that only supports cursors.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PageWindow } from '../../../src/console/web/lists/page-window.js';
import type { FetchPage, PageRequest } from '../../../src/console/web/lists/page-window.js';

interface Row {
  id: string;
  note?: string;
}

/** A server of a list, with as little as a Relay connection gives. */
function serverOf(rows: Row[], isCountKnown = true): { fetchPage: FetchPage<Row>; requests: PageRequest[] } {
  const requests: PageRequest[] = [];
  let positions = new Map<string, number>();
  const positionOf = (cursor: string) => {
    if (positions.size !== rows.length) positions = new Map(rows.map(({ id }, index) => [id, index]));
    return positions.get(cursor) ?? -1;
  };
  return {
    requests,
    fetchPage: async (request) => {
      requests.push(request);
      const from = request.after === undefined ? 0 : positionOf(request.after) + 1;
      const to = request.before === undefined ? rows.length : positionOf(request.before);
      const page =
        request.first === undefined
          ? rows.slice(Math.max(to - (request.last ?? 0), 0), to)
          : rows.slice(from, from + request.first);
      return {
        rows: request.isSkipped ? [] : page,
        startCursor: page[0]?.id ?? null,
        endCursor: page.at(-1)?.id ?? null,
        hasNextPage: request.first === undefined ? to < rows.length : from + request.first < rows.length,
        count: isCountKnown ? rows.length : undefined,
      };
    },
  };
}

const rowsOf = (count: number): Row[] => Array.from({ length: count }, (_none, index) => ({ id: `row-${index}` }));

async function settle<Result extends Row>(window: PageWindow<Result>, row: number): Promise<void> {
  for (let tries = 0; tries < 2_000 && window.rowAt(row) === undefined; tries++) await Promise.resolve();
}

/** A window onto ten rows whose first page failed, and can be loaded from now on. */
async function windowThatFailed(): Promise<PageWindow<Row>> {
  const { fetchPage } = serverOf(rowsOf(10));
  let isBroken = true;
  const window = new PageWindow<Row>(
    (request) => (isBroken ? Promise.reject(new Error('no')) : fetchPage(request)),
    () => {},
  );
  window.want(0, 5);
  await settle(window, 0);
  expect(window.state.error).toBeInstanceOf(Error);
  isBroken = false;
  return window;
}

describe('A window onto a long list', () => {
  it('shows the right row after any jump, and keeps some hundred', async () => {
    const rows = rowsOf(10_037);
    const jumps = fc.array(fc.integer({ min: 0, max: rows.length - 1 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(jumps, async (places) => {
        const window = new PageWindow(serverOf(rows).fetchPage, () => {});
        window.want(0, 40);
        await settle(window, 0);
        for (const place of places) {
          window.want(place, Math.min(place + 40, rows.length - 1));
          await settle(window, place);
          expect(window.rowAt(place)?.id).toBe(`row-${place}`);
          expect(window.rows.length).toBeLessThanOrEqual(800);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('gets to the end of 100,000 rows with one request', async () => {
    const { fetchPage, requests } = serverOf(rowsOf(100_000));
    const window = new PageWindow(fetchPage, () => {});
    window.want(0, 40);
    await settle(window, 0);
    window.want(99_960, 99_999);
    await settle(window, 99_999);
    expect(window.rowAt(99_999)?.id).toBe('row-99999');
    expect(requests).toHaveLength(2);
  });

  it('scrolls to the end of 100,000 rows with bounded memory', async () => {
    const window = new PageWindow(serverOf(rowsOf(100_000)).fetchPage, () => {});
    let held = 0;
    for (let row = 0; row < 100_000; row += 80) {
      window.want(row, Math.min(row + 40, 99_999));
      await settle(window, row);
      held = Math.max(held, window.rows.length);
    }
    expect(held).toBeLessThanOrEqual(800);
  });

  it('reaches all rows of a list that others lengthen or shorten meanwhile', async () => {
    const later = Array.from({ length: 120 }, (_none, index) => ({ id: `later-${index}` }));
    for (const [at, deleted, added, length] of [
      [220, 0, later, 370],
      [225, 20, [], 230],
      [200, 50, [], 200],
    ] as const) {
      const rows = rowsOf(250);
      const window = new PageWindow(serverOf(rows).fetchPage, () => {});
      const reach = async (row: number) => {
        window.want(row - 10, row);
        for (let tries = 0; tries < 50; tries++) await Promise.resolve();
      };
      await reach(40);
      await reach(140);
      rows.splice(at, deleted, ...added);
      for (let end = 0; end !== window.state.length;) {
        end = window.state.length;
        await reach(end - 1);
      }
      expect(window.state).toMatchObject({ length, isLengthExact: true });
      expect(window.rowAt(length - 1)).toEqual(rows.at(-1));
    }
  });

  it('grows while scrolling if the total is unknown', async () => {
    const window = new PageWindow(serverOf(rowsOf(250), false).fetchPage, () => {});
    window.want(0, 40);
    await settle(window, 0);
    expect(window.state).toMatchObject({ length: 200, isLengthExact: false });
    window.want(150, 199);
    await settle(window, 150);
    window.want(240, 249);
    await settle(window, 240);
    expect(window.state).toMatchObject({ length: 250, isLengthExact: true });
  });

  it('applies changes to the visible rows, and holds new ones back', async () => {
    const rows = rowsOf(250);
    const window = new PageWindow(serverOf(rows).fetchPage, () => {});
    window.want(0, 40);
    await settle(window, 0);
    rows[3] = { id: 'row-3', note: 'changed' };
    rows.unshift({ id: 'new' });
    await window.refresh();
    expect(window.rowAt(0)?.id).toBe('row-0');
    expect(window.rowAt(3)?.note).toBe('changed');
    expect(window.state.newRows).toBe(1);
  });

  it('counts new rows immediately, though they are held back', async () => {
    const rows = rowsOf(250);
    const window = new PageWindow(serverOf(rows).fetchPage, () => {});
    window.want(0, 40);
    await settle(window, 0);
    expect(window.state).toMatchObject({ length: 250, count: 250 });
    rows.unshift({ id: 'new' });
    await window.refresh();
    expect(window.state).toMatchObject({ length: 250, count: 251 });
    rows.unshift({ id: 'newer' });
    window.want(240, 249);
    await settle(window, 240);
    expect(window.state).toMatchObject({ length: 250, count: 251 });
    await window.refresh();
    expect(window.state).toMatchObject({ length: 250, count: 252 });
  });

  it('does not count rows as new that deletions pull to the first page', async () => {
    const rows = rowsOf(250);
    const window = new PageWindow(serverOf(rows).fetchPage, () => {});
    window.want(0, 40);
    await settle(window, 0);
    rows.splice(5, 1);
    await window.refresh();
    expect(window.state).toMatchObject({ count: 249, newRows: 0, goneRows: 1 });
    rows.unshift({ id: 'new' });
    await window.refresh();
    expect(window.state).toMatchObject({ count: 250, newRows: 1, goneRows: 1 });
    rows.splice(1, 1);
    rows.splice(3, 1);
    await window.refresh();
    expect(window.state).toMatchObject({ count: 248, newRows: 1, goneRows: 3 });
  });

  it('retries failed pages when it refetches the visible ones', async () => {
    const window = await windowThatFailed();
    await window.refresh();
    expect(window.state).toMatchObject({ hasLoaded: true, error: undefined, length: 10 });
    expect(window.rowAt(0)?.id).toBe('row-0');
  });

  it('reports a failed refresh until one succeeds, and keeps the rows', async () => {
    const rows = rowsOf(250);
    const { fetchPage } = serverOf(rows);
    const broken = new Set<string>();
    const window = new PageWindow<Row>(
      async (request) => (broken.has(request.after ?? 'start') ? Promise.reject(new Error('no')) : fetchPage(request)),
      () => {},
    );
    window.want(0, 40);
    await settle(window, 0);
    window.want(80, 120);
    await settle(window, 120);
    // One of the two visible pages fails, in whichever order they are answered.
    for (const failing of ['start', 'row-99']) {
      broken.add(failing);
      await window.refresh();
      expect({ failing, error: window.state.error }).toEqual({ failing, error: new Error('no') });
      expect(window.rowAt(80)?.id).toBe('row-80');
      broken.clear();
      await window.refresh();
      expect(window.state.error).toBeUndefined();
    }
    broken.add('start');
    await window.refresh();
    window.want(110, 150);
    expect(window.state.error).toBeUndefined();
  });

  it('reports a failure, and retries when it is visible again', async () => {
    const window = await windowThatFailed();
    window.want(0, 5);
    await settle(window, 0);
    expect(window.state.error).toBeUndefined();
    expect(window.rowAt(0)?.id).toBe('row-0');
  });
});
