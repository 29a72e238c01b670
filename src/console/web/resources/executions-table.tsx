import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer, useLastAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import { useRefresh } from '../api/use-refresh.js';
import { executionLine } from '../jobs/execution-line.js';
import { formatCount } from '../look/money.js';
import { FailureNotice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { Skeletons } from '../look/skeletons.js';
import { PlainTable } from '../look/plain-table.js';
import { StateMark } from '../look/state-mark.js';
import { Time, useNow } from '../look/time-text.js';
import { formatDuration } from '../look/time.js';
import type { Job } from './resource-queries.js';
import { Section } from './section.js';

const executionsQuery = graphql(
  `
    query JobExecutions($workspace: String!, $name: String!, $after: String) {
      job(workspace: $workspace, name: $name) {
        id
        executions(first: 100, after: $after) {
          totalCount
          pageInfo {
            hasNextPage
            endCursor
          }
          nodes {
            ...ExecutionLine
          }
        }
      }
    }
  `,
  [executionLine],
);

const tabRoute = getRouteApi('/w/$workspace/$kind/$name/$tab');

/** The executions of a job by page, the latest first. */
export function ExecutionsTab({ job, workspace }: { job: string; workspace: string }): ReactElement {
  const { after } = tabRoute.useSearch();
  const variables = { workspace, name: job, ...(after === undefined ? {} : { after }) };
  const [{ data, error }, again] = useAnswer({ query: executionsQuery, variables });
  const refresh = () => again({ requestPolicy: 'network-only' });
  useRefresh(refresh);
  const { shown: executions, isOld } = useLastAnswer(data?.job?.executions, error);
  const total = executions?.totalCount ?? 0;
  const here = {
    to: '/w/$workspace/$kind/$name/$tab',
    params: { workspace, kind: 'jobs', name: job, tab: 'executions' },
    className: 'button',
  } as const;
  const latest = <Link {...here}>Latest</Link>;
  return (
    <Section title={executions == null ? 'Executions' : `Executions (${formatCount(total)})`}>
      {executions == null ? (
        error === undefined ? (
          <Skeletons />
        ) : (
          <FailureNotice error={error} onRetry={refresh}>
            {after !== undefined && latest}
          </FailureNotice>
        )
      ) : (
        <>
          <Older isOld={isOld}>
            <ExecutionTable executions={executions.nodes} job={job} workspace={workspace} />
          </Older>
          {executions.nodes.length < total && (
            <p className="table-pages">
              <span className="quiet">
                Showing {executions.nodes.length} of {formatCount(total)} executions.
              </span>
              {after !== undefined && latest}
              {executions.pageInfo.hasNextPage && executions.pageInfo.endCursor !== null && (
                <Link {...here} search={{ after: executions.pageInfo.endCursor }}>
                  Older
                </Link>
              )}
            </p>
          )}
        </>
      )}
    </Section>
  );
}

const latestMax = 5;

/** The latest executions of a job, for its overview. */
export function LatestExecutions({ job, workspace }: { job: Job; workspace: string }): ReactElement {
  const { totalCount, nodes } = job.executions ?? none;
  const { name } = job.metadata;
  return (
    <Section
      title={`Executions (${formatCount(totalCount)})`}
      aside={
        totalCount > latestMax ? (
          <Link
            to="/w/$workspace/$kind/$name/$tab"
            params={{ workspace, kind: 'jobs', name, tab: 'executions' }}
            className="text-link"
          >
            View all executions
          </Link>
        ) : undefined
      }
    >
      <ExecutionTable executions={nodes.slice(0, latestMax)} job={name} workspace={workspace} />
    </Section>
  );
}

type Executions = NonNullable<Job['executions']>;
type Execution = Executions['nodes'][number];

/** The executions for a caller without the scope to read them. */
const none: Executions = { totalCount: 0, nodes: [] };

interface ExecutionTableProps {
  executions: readonly Execution[];
  job: string;
  workspace: string;
}

function ExecutionTable({ executions, job, workspace }: ExecutionTableProps): ReactElement {
  if (executions.length === 0) return <p className="quiet">No executions yet. Run the job to create one.</p>;
  return (
    <PlainTable columns={['State', 'Started', 'Duration', 'Tasks']} hasNoActions label="Executions" rows={executions}>
      {(execution) => <ExecutionRow key={execution.id} execution={execution} job={job} workspace={workspace} />}
    </PlainTable>
  );
}

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
      <td className="nowrap">
        {metadata.startedAt === null ? '' : formatDuration(Math.max(endMs - Date.parse(metadata.startedAt), 0))}
      </td>
      <td>
        {stats.success} of {stats.total} completed
        {stats.failure > 0 && <span>, {stats.failure} failed</span>}
        {stats.running > 0 && <span>, {stats.running} running</span>}
      </td>
    </tr>
  );
}
