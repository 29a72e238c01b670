// The alert rules in Prometheus itself: they load, and each of them fires when it should and not otherwise.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const path = fileURLToPath(new URL('../../docs/monitoring/alerts.yaml', import.meta.url));
const rule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string() }),
});
const file = z.object({ groups: z.tuple([z.object({ name: z.string(), rules: z.array(rule) })]) });
const [{ rules }] = file.parse(parse(readFileSync(path, 'utf8'))).groups;

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const own = '{job="gateway",instance="one"}';
const foreign = '{job="other",instance="two"}';
const running = { [`wcp_build_info${own}`]: '1x90' };

/** For each alert: series of the hour and a half before, with which it fires, and with which it does not. */
const cases: Record<string, { fires: Record<string, string>; isQuiet: Record<string, string> }> = {
  RequestsFail: {
    fires: { 'wcp_http_requests_total{status="200"}': '0+90x90', 'wcp_http_requests_total{status="500"}': '0+10x90' },
    isQuiet: {
      'wcp_http_requests_total{status="200"}': '0+990x90',
      'wcp_http_requests_total{status="500"}': '0+10x90',
    },
  },
  RequestsSlow: {
    fires: {
      'wcp_http_request_duration_seconds_bucket{le="1"}': '0+90x90',
      'wcp_http_request_duration_seconds_bucket{le="10"}': '0+100x90',
      'wcp_http_request_duration_seconds_bucket{le="+Inf"}': '0+100x90',
    },
    isQuiet: {
      'wcp_http_request_duration_seconds_bucket{le="0.1"}': '0+100x90',
      'wcp_http_request_duration_seconds_bucket{le="+Inf"}': '0+100x90',
    },
  },
  RequestsShed: {
    fires: { 'wcp_http_requests_refused_total{status="503"}': '0+120x90' },
    isQuiet: { 'wcp_http_requests_refused_total{status="429"}': '0+120x90' },
  },
  RequestsWait: { fires: { wcp_http_requests_waiting: '1x90' }, isQuiet: { wcp_http_requests_waiting: '0x90' } },
  RateLimited: {
    fires: { 'wcp_http_requests_refused_total{status="429"}': '0+120x90' },
    isQuiet: { 'wcp_http_requests_refused_total{status="503"}': '0+120x90' },
  },
  EventLoopDelayed: {
    fires: { ...running, [`nodejs_eventloop_lag_p99_seconds${own}`]: '0.3x90' },
    isQuiet: { ...running, [`nodejs_eventloop_lag_p99_seconds${foreign}`]: '0.3x90' },
  },
  MemoryHigh: {
    fires: { ...running, [`process_resident_memory_bytes${own}`]: '2000000000x90' },
    isQuiet: { ...running, [`process_resident_memory_bytes${foreign}`]: '2000000000x90' },
  },
  DatabaseWaitedFor: {
    fires: { 'wcp_database_waiting{share="requests"}': '1x90' },
    isQuiet: { 'wcp_database_waiting{share="requests"}': '0x90' },
  },
  StatementsSlow: {
    fires: { 'wcp_database_statements_slow_total{share="requests"}': '0+60x90' },
    isQuiet: { 'wcp_database_statements_slow_total{share="requests"}': '0+1x90' },
  },
  UsageRollupsBehind: {
    fires: { wcp_usage_events_waiting: '600000x90' },
    isQuiet: { wcp_usage_events_waiting: '400000x90' },
  },
  BackgroundTaskFails: {
    fires: {
      'wcp_background_task_failures_total{job="a"}': '0+9x90',
      'wcp_background_task_runs_total{job="a"}': '0+10x90',
    },
    isQuiet: {
      'wcp_background_task_failures_total{job="a"}': '0+1x90',
      'wcp_background_task_runs_total{job="a"}': '0+10x90',
    },
  },
  BackgroundTaskStalled: {
    fires: { 'wcp_background_task_last_success_timestamp_seconds{job="a"}': '0x90' },
    isQuiet: { 'wcp_background_task_last_success_timestamp_seconds{job="a"}': '0+60x90' },
  },
  AssignmentsWait: {
    fires: { wcp_assignment_oldest_due_seconds: '400x90' },
    isQuiet: { wcp_assignment_oldest_due_seconds: '200x90' },
  },
  ProcessAway: { fires: { [`process_start_time_seconds${foreign}`]: '1x90' }, isQuiet: running },
};

/** Whether an alert fires after 80 minutes of some series. */
function fires(alert: string, series: Record<string, string>): boolean {
  const test = join(folder, `${alert}.json`);
  const input = Object.entries(series).map(([name, values]) => ({ series: name, values }));
  // An unexpected alert makes promtool fail.
  const expected = { eval_time: '80m', alertname: alert, exp_alerts: [] };
  const tests = [{ interval: '1m', input_series: input, alert_rule_test: [expected] }];
  writeFileSync(test, JSON.stringify({ rule_files: [path], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', test], { encoding: 'utf8' });
  if (status !== 0 && !`${stdout}${stderr}`.includes(`alertname: ${alert}`)) throw new Error(`${stdout}${stderr}`);
  return status !== 0;
}

describe('docs/monitoring/alerts.yaml', () => {
  it('has a case for each alert', () => {
    expect(Object.keys(cases).toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });

  it.skipIf(!hasPromtool)('loads in Prometheus', () => {
    expect(spawnSync('promtool', ['check', 'rules', path]).status).toBe(0);
  });

  it.skipIf(!hasPromtool).each(rules)('fires only when it should: $alert', ({ alert }) => {
    expect(fires(alert, cases[alert]?.fires ?? {})).toBe(true);
    expect(fires(alert, cases[alert]?.isQuiet ?? {})).toBe(false);
  });
});
