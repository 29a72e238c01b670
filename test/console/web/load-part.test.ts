import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const settings = { content: JSON.stringify({ publicUrl: 'http://localhost:4000' }) };
const page = { querySelector: () => settings, addEventListener: () => {} };

describe('A chunk of the console', () => {
  let isServed: boolean;
  let isThere: boolean;

  beforeEach(() => {
    [isServed, isThere] = [true, true];
    vi.useFakeTimers();
    vi.stubGlobal('document', page);
    vi.stubGlobal('fetch', async () => {
      if (!isServed) throw new TypeError('Failed to fetch');
      return new Response();
    });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  // Its settings are read from the page, so that it is loaded where there is one.
  const modules = async () =>
    Promise.all([
      import('../../../src/console/web/api/load-part.js'),
      import('../../../src/console/web/api/connection.js'),
    ]);
  const load = async () => {
    if (!isServed || !isThere) throw new Error('Unable to preload CSS for /assets/costs-view.css');
    return 'the part';
  };

  it('waits while the service is unreachable, and loads after that', async () => {
    const [{ loadPart }, { isOnline }] = await modules();
    isServed = false;
    let loaded: string | undefined;
    const loading = loadPart(load).then((part) => (loaded = part));
    await vi.advanceTimersByTimeAsync(60_000);
    expect([loaded, isOnline()]).toEqual([undefined, false]);
    isServed = true;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await loading).toBe('the part');
    expect(isOnline()).toBe(true);
  });

  it('fails if it is missing although the service is reachable', async () => {
    const [{ loadPart }] = await modules();
    isThere = false;
    let failure: unknown;
    loadPart(load).catch((error: unknown) => (failure = error));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(failure).toMatchObject({ message: expect.stringContaining('Unable to preload CSS') });
  });
});
