import { afterEach, describe, expect, it, vi } from 'vitest';
import { createConnectionHold } from '../../src/http/connection-hold.js';

afterEach(() => void vi.restoreAllMocks());

/** The end of an iteration of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('ConnectionHold', () => {
  it('lasts while each turn accepts a connection, and reports its end once', async () => {
    const onEnd = vi.fn<() => void>();
    const hold = createConnectionHold(() => true, onEnd);
    for (let connection = 0; connection < 5; connection++) {
      hold.connected();
      expect(hold.isOn()).toBe(true);
      await turn();
    }
    await turn();
    expect(hold.isOn()).toBe(false);
    expect(onEnd).toHaveBeenCalledOnce();
  });

  it('delays nothing if no connection waits', () => {
    const hold = createConnectionHold(
      () => false,
      () => {},
    );
    hold.connected();
    expect(hold.isOn()).toBe(false);
  });

  it('ends after 250 ms while clients connect, and leaves as much time for requests', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const hold = createConnectionHold(
      () => true,
      () => {},
    );
    hold.connected();
    now.mockReturnValue(1_250);
    await turn();
    expect(hold.isOn()).toBe(false);
    now.mockReturnValue(1_499);
    hold.connected();
    expect(hold.isOn()).toBe(false);
    now.mockReturnValue(1_500);
    hold.connected();
    expect(hold.isOn()).toBe(true);
    await turn();
    await turn();
  });
});
