import { describe, expect, it } from 'vitest';
import { dataPlane } from '../../src/demo/actors.js';
import { demoWorkspaces, mainWorkspace } from '../../src/demo/company.js';
import { queuedJob, retryingJob, sundayJob } from '../../src/demo/story.js';
import { demoPlatform } from '../../src/demo/platform.js';
import { executionStates } from '../../src/lifecycle/execution-states.js';
import type { ExecutionInput } from '../../src/demo/rows/job-input.js';

const end = new Date('2026-11-20T12:00:00.000Z');
const demos = demoWorkspaces.map((workspace) => ({ workspace, ...demoPlatform(workspace, [], end) }));
const executions = demos.flatMap((demo) => demo.executions);
const main = demos.find(({ workspace }) => workspace === mainWorkspace);

const waiting = new Set(['queued', 'pending']);
const live = new Set([...waiting, 'running', 'cancelling']);

function secondsOf({ startedAt = '', completedAt = '' }: ExecutionInput): number {
  return (Date.parse(completedAt) - Date.parse(startedAt)) / 1000;
}

function of(status: string): ExecutionInput[] {
  return executions.filter((execution) => execution.status === status);
}

describe('Executions of the demo', () => {
  it('have every status in the main workspace, with 3 to 40 per job', () => {
    expect(new Set(main?.executions.map(({ status }) => status))).toEqual(new Set(Object.keys(executionStates)));
    for (const { id } of main?.jobs ?? []) {
      const count = main?.executions.filter(({ jobId }) => jobId === id).length;
      expect(count).toBeGreaterThanOrEqual(3);
      expect(count).toBeLessThanOrEqual(40);
    }
  });

  it('belong to jobs that are older', () => {
    const made = new Map(demos.flatMap(({ jobs }) => jobs).map(({ id, metadata }) => [id, metadata.createdAt]));
    for (const { jobId, createdAt } of executions) expect((made.get(jobId) ?? 'never') < createdAt).toBe(true);
  });

  it('start after they were queued, and complete when they are over', () => {
    for (const { status, startedAt, completedAt } of executions) {
      expect(startedAt === undefined).toBe(waiting.has(status));
      expect(completedAt === undefined).toBe(live.has(status));
    }
  });

  it('of a job do not overlap', () => {
    const jobIds = executions.filter(({ status }) => live.has(status) && status !== 'queued').map(({ jobId }) => jobId);
    expect(new Set(jobIds).size).toBe(jobIds.length);
  });

  it('of a nightly job fail on Sundays only', () => {
    const job = main?.jobs.find(({ metadata }) => metadata.name === sundayJob);
    const nightly = main?.executions.filter(({ jobId }) => jobId === job?.id) ?? [];
    expect(nightly.length).toBeGreaterThan(30);
    for (const { status, createdAt } of nightly) {
      expect(status).toBe(new Date(createdAt).getUTCDay() === 0 ? 'failed' : 'succeeded');
    }
  });

  it('wait in a long queue of one job, and need retries in another', () => {
    const of = (name: string) => {
      const job = main?.jobs.find(({ metadata }) => metadata.name === name);
      return main?.executions.filter(({ jobId }) => jobId === job?.id) ?? [];
    };
    expect(of(queuedJob).filter(({ status }) => status === 'queued').length).toBeGreaterThan(10);
    expect(of(queuedJob).filter(({ status }) => status === 'running')).toHaveLength(1);
    const retried = of(retryingJob).filter(({ stats }) => stats.retried > 0);
    expect(retried.length).toBeGreaterThan(of(retryingJob).length / 2);
  });

  it('in progress are minutes old, of a deployed job', () => {
    const deployed = new Set(
      demos.flatMap(({ jobs }) => jobs.flatMap(({ id, status }) => (status === 'DEPLOYED' ? [id] : []))),
    );
    for (const execution of executions.filter(({ status }) => live.has(status))) {
      expect(end.getTime() - Date.parse(execution.createdAt)).toBeLessThan((execution.spec.timeout ?? 0) * 1000);
      expect(deployed).toContain(execution.jobId);
    }
  });

  it('end within their timeout, or exactly at it', () => {
    for (const execution of executions.filter(({ status }) => !live.has(status))) {
      const { status, spec } = execution;
      const seconds = secondsOf(execution);
      expect(seconds).toBeLessThanOrEqual(spec.timeout ?? 0);
      expect(seconds === spec.timeout).toBe(status === 'timeout');
    }
  });

  it('name their cluster as soon as a task was claimed', () => {
    for (const { status, cluster } of executions) expect(cluster).toBe(status === 'queued' ? undefined : dataPlane);
  });

  it('have the statistics of their tasks', () => {
    for (const { stats, tasks, status } of executions) {
      const having = (type: string, state: string) =>
        tasks.filter(({ conditions }) => conditions.some((each) => each.type === type && each.state === state));
      const unsuccessful = having('Completed', 'False');
      const failed = unsuccessful.filter(({ conditions }) => conditions.at(-1)?.severity === 'Error');
      expect(stats).toEqual({
        total: tasks.length,
        success: having('Completed', 'True').length,
        failure: failed.length,
        cancelled: unsuccessful.length - failed.length,
        running: having('Running', 'True').length,
        retried: having('Retried', 'True').length,
      });
      const { success, failure, cancelled, running, total } = stats;
      expect(success + failure + cancelled + running).toBe(waiting.has(status) ? 0 : total);
    }
  });

  it('have a status that agrees with their statistics', () => {
    for (const { stats } of of('succeeded')) expect(stats.success).toBe(stats.total);
    for (const { stats } of of('failed')) expect(stats.failure).toBeGreaterThan(0);
    for (const { stats } of [...of('cancelled'), ...of('timeout')]) expect(stats.cancelled).toBeGreaterThan(0);
    for (const { stats } of [...of('running'), ...of('cancelling')]) expect(stats.running).toBeGreaterThan(0);
  });

  it('have tasks within their time, with retries only if allowed', () => {
    for (const { tasks, startedAt, completedAt = end.toISOString() } of executions) {
      for (const { metadata, spec, conditions } of tasks) {
        if (metadata.startedAt === undefined) continue;
        expect(metadata.startedAt >= (startedAt ?? '~')).toBe(true);
        expect((metadata.completedAt ?? '') <= completedAt).toBe(true);
        expect(conditions.some(({ type }) => type === 'Retried') && spec.maxRetries === 0).toBe(false);
      }
    }
  });

  it('contain a full reason for failed tasks', () => {
    const failed = of('failed').flatMap(({ tasks }) => tasks.slice(-1).flatMap(({ conditions }) => conditions.at(-1)));
    expect(failed.length).toBeGreaterThan(0);
    for (const condition of failed) {
      expect(Object.keys(condition ?? {}).toSorted()).toEqual([
        'executionReason',
        'message',
        'reason',
        'severity',
        'state',
        'type',
      ]);
    }
    expect(new Set(failed.map((condition) => condition?.executionReason))).toEqual(
      new Set(['RetriesExhausted', 'NotRetried']),
    );
    expect(of('failed').some(({ stats }) => stats.retried > 0)).toBe(true);
    expect(of('succeeded').some(({ stats }) => stats.retried > 0)).toBe(true);
  });

  it('sometimes override variables and memory', () => {
    for (const key of ['envOverride', 'memoryOverride'] as const) {
      const having = executions.filter(({ spec }) => spec[key] !== undefined);
      expect(having.length).toBeGreaterThan(0);
      expect(having.length).toBeLessThan(executions.length);
    }
  });
});
