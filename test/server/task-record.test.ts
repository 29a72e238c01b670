import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createTaskRecord } from '../../src/server/task-record.js';
import { createBackgroundTaskMetrics } from '../../src/telemetry/background-task-metrics.js';

describe('The record of background tasks', () => {
  it('reports a task that has not succeeded for three intervals and a minute, until it does', () => {
    let nowMs = 0;
    const record = createTaskRecord(createBackgroundTaskMetrics(new Registry()), () => nowMs);
    record.expect('often', 1_000);
    record.expect('seldom', 600_000);
    nowMs = 63_000;
    expect(record.stalled()).toEqual([]);
    record.ran('often', 1, false);
    nowMs = 63_001;
    expect(record.stalled()).toEqual([{ task: 'often', seconds: 63 }]);
    record.ran('often', 1, true);
    expect(record.stalled()).toEqual([]);
  });
});
