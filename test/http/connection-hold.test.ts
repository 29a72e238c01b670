import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createConnectionHold } from '../../src/http/connection-hold.js';

const work = { isLoaded: vi.fn<() => boolean>(), hold: vi.fn<() => void>(), resume: vi.fn<() => void>() };

beforeEach(() => void work.isLoaded.mockReturnValue(true));
afterEach(() => {
  vi.restoreAllMocks();
  for (const each of Object.values(work)) each.mockReset();
});

/** The end of a turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('The hold for new connections', () => {
  it('lasts while each turn accepts one, and ends once', async () => {
    const connected = createConnectionHold(work);
    for (let connection = 0; connection < 5; connection++) {
      connected();
      expect(work.resume).not.toHaveBeenCalled();
      await turn();
    }
    await turn();
    expect(work.hold).toHaveBeenCalledOnce();
    expect(work.resume).toHaveBeenCalledOnce();
  });

  it('holds nothing if no request waits', () => {
    work.isLoaded.mockReturnValue(false);
    createConnectionHold(work)();
    expect(work.hold).not.toHaveBeenCalled();
  });

  it('ends after 250 ms while clients connect, and leaves as much time for requests', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const connected = createConnectionHold(work);
    connected();
    now.mockReturnValue(1_250);
    await turn();
    expect(work.resume).toHaveBeenCalledOnce();
    now.mockReturnValue(1_499);
    connected();
    expect(work.hold).toHaveBeenCalledOnce();
    now.mockReturnValue(1_500);
    connected();
    expect(work.hold).toHaveBeenCalledTimes(2);
    await turn();
    await turn();
  });
});
