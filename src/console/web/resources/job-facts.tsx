import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { formatCount } from '../look/money.js';
import { StateMark } from '../look/state-mark.js';
import { Time, useNow } from '../look/time-text.js';
import { formatDuration } from '../look/time.js';
import { Fact, Section } from './section.js';
import type { Job } from './resource-queries.js';
import { EnvSection, RuntimeFacts } from './runtime-facts.js';

export function JobFacts({ job, workspace }: { job: Job; workspace: string }): ReactElement {
  const { spec, metadata } = job;
  const executions = job.executions ?? none;
  return (
    <>
      <Section title={`Executions (${formatCount(executions.totalCount)})`}>
        {executions.nodes.length === 0 ? (
          <p className="quiet">No executions yet.</p>
        ) : (
          <div className="table-space">
            <table className="plain-table executions">
              <thead>
                <tr>
                  <th scope="col">State</th>
                  <th scope="col">Started</th>
                  <th scope="col">Duration</th>
                  <th scope="col">Tasks</th>
                </tr>
              </thead>
              <tbody>
                {executions.nodes.map((execution) => (
                  <ExecutionRow key={execution.id} execution={execution} job={metadata.name} workspace={workspace} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {executions.totalCount > executions.nodes.length && (
          <p className="quiet">
            Showing the latest {executions.nodes.length} of {formatCount(executions.totalCount)} executions.
          </p>
        )}
      </Section>
      <Section title="Configuration">
        <dl className="facts">
          <Fact name="Enabled">{spec.enabled ? 'Yes' : 'No'}</Fact>
          {spec.region !== null && <Fact name="Region">{spec.region}</Fact>}
          <RuntimeFacts runtime={spec.runtime} />
          {spec.parallelism !== null && <Fact name="Parallelism">{spec.parallelism} tasks</Fact>}
          {spec.timeout !== null && <Fact name="Timeout">{formatDuration(spec.timeout * 1000)}</Fact>}
          {spec.maxRetries !== null && <Fact name="Retries">{spec.maxRetries} per task</Fact>}
        </dl>
      </Section>
      <EnvSection envs={spec.runtime?.envs} />
    </>
  );
}

type Executions = NonNullable<Job['executions']>;
type Execution = Executions['nodes'][number];

/** The executions for a caller without the scope to read them. */
const none: Executions = { totalCount: 0, nodes: [] };

function ExecutionRow({
  execution,
  job,
  workspace,
}: {
  execution: Execution;
  job: string;
  workspace: string;
}): ReactElement {
  const { status, metadata, stats } = execution;
  const nowMs = useNow();
  const began = metadata.startedAt ?? metadata.createdAt;
  const endMs = metadata.completedAt === null ? nowMs : Date.parse(metadata.completedAt);
  return (
    <tr>
      <td>
        <StateMark state={status} />
      </td>
      <td>
        <Link
          to="/w/$workspace/jobs/$name/executions/$id"
          params={{ workspace, name: job, id: metadata.id }}
          className="text-link"
        >
          {began === null ? 'Not started' : <Time value={began} />}
        </Link>
      </td>
      <td>{metadata.startedAt === null ? '' : formatDuration(Math.max(endMs - Date.parse(metadata.startedAt), 0))}</td>
      <td>
        {stats.success} of {stats.total} completed
        {stats.failure > 0 && <span>, {stats.failure} failed</span>}
        {stats.running > 0 && <span>, {stats.running} running</span>}
      </td>
    </tr>
  );
}
