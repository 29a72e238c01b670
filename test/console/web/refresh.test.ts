import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { holdPage } from '../../../src/console/web/api/page-hold.js';
import { onRefresh, requestRefresh } from '../../../src/console/web/api/refresh.js';

describe('The refresh of counts and lists', () => {
  const page = { visibilityState: 'visible', addEventListener: () => {}, removeEventListener: () => {} };
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('document', page);
  });
  afterEach(() => {
    page.visibilityState = 'visible';
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('happens simultaneously for all of them, whenever each was started', () => {
    const calls: [name: string, atMs: number][] = [];
    const startMs = Date.now();
    const note = (name: string) => () => calls.push([name, Date.now() - startMs]);
    const stopRail = onRefresh(note('rail'));
    vi.advanceTimersByTime(5_000);
    const stopChips = onRefresh(note('chips'));
    vi.advanceTimersByTime(11_000);
    expect(calls).toEqual([['rail', 8_000], ['chips', 8_000], ['rail', 16_000], ['chips', 16_000]]); // prettier-ignore
    stopRail();
    stopChips();
    vi.advanceTimersByTime(60_000);
    expect(calls).toHaveLength(4);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('happens once for several changes in a row, and not in a hidden tab', () => {
    let count = 0;
    const stop = onRefresh(() => count++);
    requestRefresh();
    requestRefresh();
    vi.advanceTimersByTime(1_000);
    expect(count).toBe(1);
    page.visibilityState = 'hidden';
    vi.advanceTimersByTime(60_000);
    expect(count).toBe(1);
    stop();
  });

  it('waits until all dialogs with a form are closed', () => {
    let count = 0;
    const stop = onRefresh(() => count++);
    const [closeOuter, closeInner] = [holdPage(), holdPage()];
    requestRefresh();
    vi.advanceTimersByTime(60_000);
    closeInner();
    expect(count).toBe(0);
    closeOuter();
    expect(count).toBe(1);
    vi.advanceTimersByTime(8_000);
    expect(count).toBe(2);
    stop();
    holdPage()();
    expect(count).toBe(2);
  });
});
