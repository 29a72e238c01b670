// The alert rules in Prometheus itself: they load, and each of them fires when it should and not otherwise.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { runBackgroundTasks } from '../../src/server/run-background-tasks.js';
import { createKey, createTenant, rest, useApp } from '../harness.js';

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

const running = useApp();

type Labels = Record<string, string>;

/** What Prometheus adds to each series of a gateway, and of another program. */
const gateway: Labels = { job: 'gateway', instance: 'one' };
const foreign = '{job="other",instance="two"}';
const isUp = { wcp_build_info: '1x90' };

/** One series of each metric and its labels, as Prometheus stores them after it has read /metrics of a gateway. */
let stored: Map<string, Labels[]>;

beforeAll(async () => {
  const { app } = running;
  const { metrics } = app.services;
  const { key } = await createKey(app, await createTenant(app, { account: 'northwind', workspaces: ['main'] }));
  await rest(app, '/agents', { key });
  metrics.served({ api: 'rest', operation: 'ListAgents', status: 503, seconds: 1, plan: '', cost: undefined });
  metrics.database.statement('requests', 60);
  metrics.usage.recorded(['accepted']);
  metrics.webhooks.attempted({ isTaken: true, latencyMs: 1 });
  await runBackgroundTasks(app.services, app.config);
  await runBackgroundTasks(app.services, app.config, [
    { name: 'failing', everyMs: 1, run: () => Promise.reject(new Error('as it is meant to')) },
  ]);
  stored = storedSeries(await metrics.registry.metrics());
});

/** With the default `honor_labels: false`, a label of the gateway that collides with one of Prometheus is renamed. */
function storedSeries(scraped: string): Map<string, Labels[]> {
  const series = new Map<string, Labels[]>();
  for (const line of scraped.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const { name, labels } = parseSeries(line.slice(0, line.lastIndexOf(' ')));
    const own = Object.entries(labels).map(([label, value]) => [label in gateway ? `exported_${label}` : label, value]);
    const known = series.get(name) ?? [];
    series.set(name, [...known, { ...Object.fromEntries(own), ...gateway }]);
  }
  return series;
}

/** Reads `name{label="value"}`. */
function parseSeries(text: string): { name: string; labels: Labels } {
  const [, name = '', inner = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(text) ?? [];
  const labels = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', value = '']) => [label, value]);
  return { name, labels: Object.fromEntries(labels) };
}

/** A stored series of a metric, with other values of its labels. */
function seriesLike(text: string): string {
  const { name, labels: wanted } = parseSeries(text);
  const [labels] = stored.get(name) ?? [];
  if (labels === undefined) throw new Error(`The gateway has no series ${name}.`);
  const unknown = Object.keys(wanted).filter((label) => !(label in labels));
  if (unknown.length > 0) throw new Error(`${name} has no label ${unknown.join()}, but ${Object.keys(labels).join()}.`);
  const pairs = Object.entries({ ...labels, ...wanted }).map(([label, value]) => `${label}="${value}"`);
  return `${name}{${pairs.join()}}`;
}

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
    fires: { ...isUp, nodejs_eventloop_lag_p99_seconds: '0.3x90' },
    isQuiet: { ...isUp, [`nodejs_eventloop_lag_p99_seconds${foreign}`]: '0.3x90' },
  },
  MemoryHigh: {
    fires: { ...isUp, process_resident_memory_bytes: '2000000000x90' },
    isQuiet: { ...isUp, [`process_resident_memory_bytes${foreign}`]: '2000000000x90' },
  },
  DatabaseWaitedFor: {
    fires: { 'wcp_database_waiting{share="reads"}': '1x90' },
    isQuiet: { 'wcp_database_waiting{share="reads"}': '0x90' },
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
      'wcp_background_task_failures_total{task="failing"}': '0+9x90',
      'wcp_background_task_runs_total{task="failing"}': '0+10x90',
      'wcp_background_task_failures_total{task="other"}': '0x90',
      'wcp_background_task_runs_total{task="other"}': '0+90x90',
    },
    isQuiet: {
      'wcp_background_task_failures_total{task="failing"}': '0+1x90',
      'wcp_background_task_runs_total{task="failing"}': '0+10x90',
    },
  },
  BackgroundTaskStalled: {
    fires: {
      'wcp_background_task_last_success_timestamp_seconds{task="stalled"}': '0x90',
      'wcp_background_task_last_success_timestamp_seconds{task="other"}': '0+60x90',
    },
    // A second process has run the task.
    isQuiet: {
      'wcp_background_task_last_success_timestamp_seconds{task="stalled"}': '0x90',
      'wcp_background_task_last_success_timestamp_seconds{task="stalled",instance="two"}': '0+60x90',
    },
  },
  AssignmentsWait: {
    fires: { wcp_assignment_oldest_due_seconds: '400x90' },
    isQuiet: { wcp_assignment_oldest_due_seconds: '200x90' },
  },
  QuotaUsageCorrected: {
    fires: { wcp_quota_usage_corrections_total: '0x60 1x30' },
    isQuiet: { wcp_quota_usage_corrections_total: '1x90' },
  },
  ProcessAway: { fires: { [`process_start_time_seconds${foreign}`]: '1x90' }, isQuiet: isUp },
};

/** Whether an alert fires after 80 minutes of some series. */
function fires(alert: string, series: Record<string, string>): boolean {
  const test = join(folder, `${alert}.json`);
  const input = Object.entries(series).map(([like, values]) => ({ series: seriesLike(like), values }));
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

describe('The metrics of a gateway', () => {
  it('have no label that Prometheus sets itself', () => {
    expect(stored.size).toBeGreaterThan(50);
    const labels = new Set([...stored.values()].flat().flatMap((each) => Object.keys(each)));
    expect([...labels].filter((label) => /^(?:exported_|__)/.test(label))).toEqual([]);
  });

  it.each(['alerts.yaml', 'dashboard.json'])('have the labels that %s groups by', (monitoring) => {
    const text = readFileSync(fileURLToPath(new URL(`../../docs/monitoring/${monitoring}`, import.meta.url)), 'utf8');
    const groupings = [...text.matchAll(/by \(([\w, ]+)\) \((?:rate\()?(\w+)/g)];
    expect(groupings.length).toBeGreaterThan(3);
    for (const [, labels = '', name = ''] of groupings) {
      const known = Object.keys(stored.get(name)?.[0] ?? {});
      expect({ name, known }).toEqual({ name, known: expect.arrayContaining(labels.split(', ')) });
    }
  });
});
