import { performance } from 'node:perf_hooks';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSaturation } from '../../src/http/saturation.js';

afterEach(() => void vi.restoreAllMocks());

describe('Saturation', () => {
  it('is the load of the event loop in the last tenth of a second', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    const utilization = vi.spyOn(performance, 'eventLoopUtilization');
    const worked = (share: number) => utilization.mockReturnValue({ idle: 0, active: 0, utilization: share });
    worked(1);
    const isSaturated = createSaturation();
    now.mockReturnValue(99);
    expect(isSaturated()).toBe(false);
    now.mockReturnValue(100);
    worked(0.81);
    expect(isSaturated()).toBe(true);
    now.mockReturnValue(150);
    worked(0);
    expect(isSaturated()).toBe(true);
    now.mockReturnValue(200);
    expect(isSaturated()).toBe(false);
  });
});
