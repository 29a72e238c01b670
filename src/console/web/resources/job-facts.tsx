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
  const { spec, executions, metadata } = job;
  return (
    <>
      <Section title={`Executions (${formatCount(executions.totalCount)})`}>
        {executions.nodes.length === 0 ? (
          <p className="quiet">It was never run.</p>
        ) : (
          <div className="table-space">
            <table className="plain-table executions">
              <thead>
                <tr>
                  <th scope="col">State</th>
                  <th scope="col">Began</th>
                  <th scope="col">Took</th>
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
            The latest {executions.nodes.length} of {formatCount(executions.totalCount)}.
          </p>
        )}
      </Section>
      <Section title="Runs">
        <dl className="facts">
          <Fact name="Can run">{spec.enabled ? 'yes' : 'no, switched off'}</Fact>
          {spec.region !== null && <Fact name="Region">{spec.region}</Fact>}
          <RuntimeFacts runtime={spec.runtime} />
          {spec.parallelism !== null && <Fact name="At once">{spec.parallelism} tasks</Fact>}
          {spec.timeout !== null && <Fact name="Time limit">{formatDuration(spec.timeout * 1000)}</Fact>}
          {spec.maxRetries !== null && <Fact name="Retries">{spec.maxRetries} for each task</Fact>}
        </dl>
      </Section>
      <EnvSection envs={spec.runtime?.envs} />
    </>
  );
}

type Execution = Job['executions']['nodes'][number];

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
          {began === null ? 'not yet' : <Time value={began} />}
        </Link>
      </td>
      <td>{metadata.startedAt === null ? '' : formatDuration(Math.max(endMs - Date.parse(metadata.startedAt), 0))}</td>
      <td>
        {stats.success} of {stats.total} done
        {stats.failure > 0 && <span>, {stats.failure} failed</span>}
        {stats.running > 0 && <span>, {stats.running} running</span>}
      </td>
    </tr>
  );
}
