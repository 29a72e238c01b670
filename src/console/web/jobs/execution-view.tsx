import { getRouteApi } from '@tanstack/react-router';
import { CombinedError } from '@urql/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { usePolling } from '../api/use-polling.js';
import { CopyButton } from '../look/copy-button.js';
import { formatMegabytes, plural } from '../look/amount.js';
import { useCanChange, ViewOnly } from '../frame/change-rights.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { PageHeading } from '../look/page-heading.js';
import { StateMark } from '../look/state-mark.js';
import { toneOf } from '../look/state.js';
import { ViewLogs } from '../look/view-logs.js';
import { Time, useNow } from '../look/time-text.js';
import { formatDuration } from '../look/time.js';
import { Fact, Section } from '../resources/section.js';
import { executionQuery } from './execution-query.js';
import type { Execution } from './execution-query.js';
import { useExecutionId } from './use-execution-id.js';
import { CancelExecution } from './cancel-execution.js';
import { RunJob } from './run-job.js';
import type { EarlierRun } from './run-job.js';
import { TaskAxis, toneOfTask } from './task-axis.js';
import '../resources/resource-panel.css';

const route = getRouteApi('/w/$workspace/jobs/$name/executions/$id');

/** An execution of a job, with its tasks on a time axis. */
export function ExecutionView(): ReactElement {
  const { workspace, name, id } = route.useParams();
  const { found, again: findAgain } = useExecutionId(workspace, name, id);
  const globalId = typeof found === 'string' ? found : undefined;
  const [{ data, error }, again] = useAnswer({
    query: executionQuery,
    variables: { id: globalId ?? '' },
    pause: globalId === undefined,
  });
  const execution = data?.node !== null && data?.node !== undefined && 'status' in data.node ? data.node : undefined;
  const isRunning = toneOf(execution?.status) === 'in-progress' || toneOf(execution?.status) === 'stopping';
  usePolling(again, globalId === undefined ? undefined : isRunning ? 2_000 : 30_000);
  const failure = found instanceof CombinedError ? found : error;
  if (failure !== undefined && execution === undefined) {
    return (
      <div className="view">
        <FailureNotice
          error={failure}
          onRetry={() => (globalId === undefined ? findAgain() : again({ requestPolicy: 'network-only' }))}
        />
      </div>
    );
  }
  if (found === null || data?.node === null) {
    return (
      <div className="view">
        <Notice title="Execution not found">It was deleted or belongs to a job other than {name}.</Notice>
      </div>
    );
  }
  if (execution === undefined) return <div className="view" aria-busy="true" />;
  return (
    <ExecutionPage
      execution={execution}
      workspace={workspace}
      job={name}
      onChange={() => again({ requestPolicy: 'network-only' })}
    />
  );
}

interface ExecutionPageProps {
  execution: Execution;
  workspace: string;
  job: string;
  onChange: () => void;
}

function ExecutionPage({ execution, workspace, job, onChange }: ExecutionPageProps): ReactElement {
  const { status, metadata, stats, spec, tasks, logsUrl } = execution;
  const canChange = useCanChange(workspace);
  const nowMs = useNow();
  const endMs = metadata.completedAt === null ? nowMs : Date.parse(metadata.completedAt);
  return (
    <article className="resource execution">
      <PageHeading
        title={metadata.jobName}
        isName
        state={<StateMark state={status} />}
        essentials={
          <>
            <span className="mono">
              {metadata.id} <CopyButton text={metadata.id} label="Copy execution ID" />
            </span>
            {metadata.startedAt !== null && (
              <span>
                {metadata.completedAt === null ? 'Running for' : 'Finished in'}{' '}
                {formatDuration(Math.max(endMs - Date.parse(metadata.startedAt), 0))}
              </span>
            )}
            <span>{statsText(stats)}</span>
          </>
        }
        actions={
          <>
            <ViewLogs url={logsUrl} />
            {!canChange ? (
              <ViewOnly />
            ) : toneOf(status) === 'in-progress' ? (
              <CancelExecution id={execution.id} running={stats.running} onDone={onChange} />
            ) : metadata.completedAt !== null ? (
              <RunJob
                workspace={workspace}
                job={job}
                isEnabled={execution.job?.spec.enabled !== false}
                earlier={earlierRunOf(execution)}
              />
            ) : undefined}
          </>
        }
      />
      <Section title="Tasks">
        {tasks.length === 0 ? <p className="quiet">No tasks yet.</p> : <TaskAxis execution={execution} />}
      </Section>
      <Section title="Details">
        <dl className="facts">
          <Fact name="Queued">
            <Time value={metadata.createdAt} />
          </Fact>
          <Fact name="Started">
            {metadata.startedAt === null ? 'Not started' : <Time value={metadata.startedAt} />}
          </Fact>
          {metadata.completedAt !== null && (
            <Fact name="Finished">
              <Time value={metadata.completedAt} />
            </Fact>
          )}
          {metadata.cluster !== null && <Fact name="Cluster">{metadata.cluster}</Fact>}
          {spec.parallelism !== null && <Fact name="Parallelism">{plural(spec.parallelism, 'task')}</Fact>}
          {spec.timeout !== null && <Fact name="Timeout">{formatDuration(spec.timeout * 1000)}</Fact>}
          {spec.memoryOverride !== null && (
            <Fact name="Memory">{formatMegabytes(spec.memoryOverride)} (overrides the job)</Fact>
          )}
          {spec.envOverride !== null && (
            <Fact name="Variables">{overridden(spec.envOverride).join(', ')} (override the job)</Fact>
          )}
        </dl>
      </Section>
    </article>
  );
}

function statsText({ total, success, failure, running, cancelled, retried }: Execution['stats']): string {
  const parts = [
    `${success} of ${plural(total, 'task')} completed`,
    failure > 0 ? `${failure} failed` : '',
    running > 0 ? `${running} running` : '',
    cancelled > 0 ? `${cancelled} cancelled` : '',
    retried > 0 ? `${retried} retried` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The settings of a re-run: the tasks that did not succeed, or all tasks if all succeeded. */
function earlierRunOf({ tasks, spec, stats }: Execution): EarlierRun {
  const unsuccessful = tasks.filter((task) => toneOfTask(task) !== 'healthy');
  const again = unsuccessful.length === 0 ? tasks : unsuccessful;
  return {
    tasks: stats.total > tasks.length ? [] : again.map(({ metadata }) => metadata.name),
    memory: spec.memoryOverride,
    timeout: spec.timeout,
    variables: spec.envOverride === null ? [] : overridden(spec.envOverride),
  };
}

/** The names of the overridden variables. Their values are never shown. */
function overridden(envOverride: string): string[] {
  const variables: unknown = JSON.parse(envOverride);
  return typeof variables === 'object' && variables !== null ? Object.keys(variables) : [];
}
