import { useAnswer } from '../api/use-answer.js';
import type { ReactElement } from 'react';
import { graphql } from '../api/graphql.js';
import { Icon } from './icon.js';

interface ViewLogsProps {
  /** The URL from the service; null if the platform has no logs. */
  url: string | null;
  /** The accessible name, if its context is not enough. */
  label?: string;
  /** Whether it is a link in a text, and not a button. */
  isInline?: boolean;
}

/** A link to the logs on the operator's log system, in a new tab. */
export function ViewLogs({ url, label, isInline = false }: ViewLogsProps): ReactElement | null {
  // The service has checked the URL. A script must not run even if it has not.
  if (url === null || !/^https?:\/\//i.test(url)) return null;
  return (
    <a
      className={isInline ? 'text-link' : 'button'}
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={label}
    >
      View logs
      {!isInline && <Icon name="open" />}
    </a>
  );
}

const agentLogs = graphql(`
  query AgentLogs($workspace: String!, $name: String!, $from: DateTime!, $to: DateTime!) {
    found: agent(workspace: $workspace, name: $name) {
      id
      logsUrl(from: $from, to: $to)
    }
  }
`);

const sandboxLogs = graphql(`
  query SandboxLogs($workspace: String!, $name: String!, $from: DateTime!, $to: DateTime!) {
    found: sandbox(workspace: $workspace, name: $name) {
      id
      logsUrl(from: $from, to: $to)
    }
  }
`);

interface FailureLogsProps {
  kind: string;
  workspace: string;
  name: string;
  /** The time of the failure. */
  at: string;
}

const beforeMs = 15 * 60_000;
const afterMs = 5 * 60_000;

/** A link to the logs of an agent or sandbox around the time of a failure. */
export function FailureLogs({ kind, workspace, name, at }: FailureLogsProps): ReactElement | null {
  const time = new Date(at).getTime();
  const [{ data }] = useAnswer({
    query: kind === 'sandboxes' ? sandboxLogs : agentLogs,
    variables: {
      workspace,
      name,
      from: new Date(time - beforeMs).toISOString(),
      to: new Date(time + afterMs).toISOString(),
    },
    pause: kind !== 'agents' && kind !== 'sandboxes',
    requestPolicy: 'cache-first',
  });
  const url = data?.found?.logsUrl ?? null;
  return <ViewLogs url={url} label="View logs around the failure" isInline />;
}
