import { describe, expect, it } from 'vitest';
import { bucketsCsv, costsCsv } from '../../../src/console/web/costs/csv.js';
import type { Group } from '../../../src/console/web/costs/groups.js';

describe('Costs as CSV', () => {
  it('cannot run as a formula in a spreadsheet', () => {
    expect(costsCsv(['resource_type'], [groupOf('=1+1', 5n)])).toContain("\r\n'=1+1,0.000000005\r\n");
    const times = { resolution: 'daily', now: ['d1'], before: ['p1'] } as const;
    const sum = { ...groupOf('@SUM(A1)', 5n), nanos: [5n] };
    expect(bucketsCsv(['resource_type'], times, [sum])).toContain("\r\nd1,'@SUM(A1),0.000000005\r\n");
  });

  it('contain the cost of each group', () => {
    expect(costsCsv(['resource_type'], [groupOf('agent', 5n), groupOf('job', 1n)])).toBe(
      'resource_type,cost_usd\r\nagent,0.000000005\r\njob,0.000000001\r\n',
    );
  });

  it('contain the previous period and the change when compared, including groups without present cost', () => {
    const text = costsCsv(['resource_type'], [groupOf('agent', 5n)], [groupOf('agent', 7n), groupOf('job', 1n)]);
    expect(text.split('\r\n')).toEqual([
      'resource_type,cost_usd,previous_cost_usd,change_usd',
      'agent,0.000000005,0.000000007,-0.000000002',
      'job,0,0.000000001,-0.000000001',
      '',
    ]);
  });

  it('contain the cost of each group in each bucket, beside that of the previous period', () => {
    const times = { resolution: 'daily', now: ['d1', 'd2'], before: ['p1', 'p2'] } as const;
    const agent = { ...groupOf('agent', 5n), nanos: [2n, 3n] };
    expect(bucketsCsv(['resource_type'], times, [agent])).toBe(
      'start_time,resource_type,cost_usd\r\nd1,agent,0.000000002\r\nd2,agent,0.000000003\r\n',
    );
    const before = [
      { ...agent, nanos: [1n] },
      { ...groupOf('job', 4n), nanos: [0n, 4n] },
    ];
    expect(bucketsCsv(['resource_type'], times, [agent], before).split('\r\n')).toEqual([
      'start_time,resource_type,cost_usd,previous_start_time,previous_cost_usd,change_usd',
      'd1,agent,0.000000002,p1,0.000000001,0.000000001',
      'd1,job,0,p1,0,0',
      'd2,agent,0.000000003,p2,0,0.000000003',
      'd2,job,0,p2,0.000000004,-0.000000004',
      '',
    ]);
  });

  it('contain all buckets of a previous period that is longer, such as October before November', () => {
    const times = { resolution: 'daily', now: ['d1'], before: ['p1', 'p2'] } as const;
    const agent = { ...groupOf('agent', 5n), nanos: [5n] };
    const before = [{ ...groupOf('agent', 7n), nanos: [3n, 4n] }];
    expect(bucketsCsv(['resource_type'], times, [agent], before).split('\r\n')).toEqual([
      'start_time,resource_type,cost_usd,previous_start_time,previous_cost_usd,change_usd',
      'd1,agent,0.000000005,p1,0.000000003,0.000000002',
      ',agent,0,p2,0.000000004,-0.000000004',
      '',
    ]);
    expect(bucketsCsv(['resource_type'], times, [agent])).toBe(
      'start_time,resource_type,cost_usd\r\nd1,agent,0.000000005\r\n',
    );
  });

  it('contain the values of labels, empty for usage without the label', () => {
    const of = (value: string) => ({ ...groupOf(value, 1n), values: { 'label:team': value } });
    expect(costsCsv(['label:team'], [of('=search'), of('')])).toBe(
      'label:team,cost_usd\r\nsearch,0.000000001\r\n,0.000000001\r\n',
    );
  });

  it('contain the usage of each group by billing dimension', () => {
    const values = { billing_dimension: 'memory' };
    const memory = { ...groupOf('memory', 5n), values, usage: '12.5' };
    expect(costsCsv(['billing_dimension'], [memory], [])).toBe(
      'billing_dimension,usage,cost_usd,previous_cost_usd,change_usd\r\nmemory,12.5,0.000000005,0,0.000000005\r\n',
    );
  });
});

function groupOf(type: string, nano: bigint): Group {
  const values = { resource_type: type };
  return { key: type, values, workspace: undefined, resourceType: type, nano, usage: null, nanos: [nano] };
}
