import type { TypedDocumentNode } from '@urql/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useQuery } from 'urql';
import { usePolling } from '../api/use-polling.js';
import { useViewer } from '../frame/viewer.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { CopyButton } from '../look/copy-button.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { StateMark } from '../look/state-mark.js';
import { toneOf } from '../look/state.js';
import { Time } from '../look/time-text.js';
import { capitalize } from '../look/labels.js';
import { ResourceActions } from '../editing/resource-actions.js';
import { AgentFacts } from './agent-facts.js';
import { EventTimeline } from './event-timeline.js';
import { JobFacts } from './job-facts.js';
import { NetworkFacts } from './network-facts.js';
import { agentQuery, jobQuery, networkQuery, sandboxQuery, volumeQuery } from './resource-queries.js';
import type { AnyResource } from './resource-queries.js';
import { ResourceChanges } from './resource-changes.js';
import { ResourceCost } from './resource-cost.js';
import { ResourceHeading } from './resource-heading.js';
import { SandboxFacts } from './sandbox-facts.js';
import { Fact, Section } from './section.js';
import { SpecSection } from './spec-section.js';
import { StateStrip } from './state-strip.js';
import { VolumeFacts } from './volume-facts.js';
import './resource-panel.css';

interface ResourcePanelProps {
  workspace: string;
  kind: Kind;
  name: string;
  /** Set for a preview beside a list. */
  onClose?: () => void;
}

/** A resource: state, configuration, events, change history and costs. */
export function ResourcePanel(props: ResourcePanelProps): ReactElement {
  const { kind } = props;
  if (kind === 'agents') {
    return (
      <Panel
        {...props}
        query={agentQuery}
        facts={(agent) => <AgentFacts agent={agent} workspace={props.workspace} />}
      />
    );
  }
  if (kind === 'sandboxes') {
    return (
      <Panel
        {...props}
        query={sandboxQuery}
        facts={(sandbox, onChange) => (
          <SandboxFacts sandbox={sandbox} workspace={props.workspace} onChange={onChange} />
        )}
      />
    );
  }
  if (kind === 'jobs') {
    return <Panel {...props} query={jobQuery} facts={(job) => <JobFacts job={job} workspace={props.workspace} />} />;
  }
  if (kind === 'volumes')
    return <Panel {...props} query={volumeQuery} facts={(volume) => <VolumeFacts volume={volume} />} />;
  return (
    <Panel
      {...props}
      query={networkQuery}
      facts={(network, onChange) => <NetworkFacts network={network} workspace={props.workspace} onChange={onChange} />}
    />
  );
}

interface PanelProps<Found extends AnyResource> extends ResourcePanelProps {
  query: TypedDocumentNode<{ resource: Found | null }, { workspace: string; name: string }>;
  facts: (resource: Found, onChange: () => void) => ReactNode;
}

function Panel<Found extends AnyResource>({
  workspace,
  kind,
  name,
  onClose,
  query,
  facts,
}: PanelProps<Found>): ReactElement {
  const [{ data, error, stale }, again] = useQuery({ query, variables: { workspace, name } });
  const resource = data?.resource;
  const refresh = () => again({ requestPolicy: 'network-only' });
  usePolling(
    again,
    toneOf(resource?.status) === 'in-progress' || toneOf(resource?.status) === 'stopping' ? 2_000 : 10_000,
  );
  const { workspaces, accounts } = useViewer();
  const account = accounts.find(
    (each) => each.name === workspaces.find((other) => other.name === workspace)?.account.name,
  );
  if (resource === null) {
    return (
      <div className="resource">
        <ResourceHeading kind={kind} name={name} workspace={workspace} onClose={onClose} />
        <Notice title={`${capitalize(kinds[kind].one)} “${name}” not found`}>
          It was deleted or renamed.{' '}
          <Link to="/w/$workspace/$kind" params={{ workspace, kind }} className="text-link">
            View all {kinds[kind].many.toLowerCase()}
          </Link>
          {' or '}
          <Link to="/w/$workspace/activity" params={{ workspace }} search={{ name }} className="text-link">
            its activity
          </Link>
          .
        </Notice>
      </div>
    );
  }
  if (resource === undefined) {
    return (
      <div className="resource" aria-busy={error === undefined}>
        <ResourceHeading kind={kind} name={name} workspace={workspace} onClose={onClose} />
        {error === undefined ? <ResourceSkeleton /> : <FailureNotice error={error} onRetry={refresh} />}
      </div>
    );
  }
  const { metadata, status, events } = resource;
  const isFailed = toneOf(status) === 'failed';
  const lastEvent = events.at(-1);
  return (
    <article className="resource" aria-label={name} aria-busy={stale && data === undefined}>
      <ResourceHeading
        kind={kind}
        name={name}
        workspace={workspace}
        onClose={onClose}
        state={<StateMark state={status} />}
        essentials={<Essentials resource={resource} />}
        reason={
          lastEvent?.message != null && (
            <p className={isFailed ? 'resource-reason failed' : 'resource-reason quiet'}>
              {lastEvent.message}
              {lastEvent.time !== null && (
                <span className="quiet">
                  , <Time value={lastEvent.time} />
                </span>
              )}
            </p>
          )
        }
        actions={
          <ResourceActions
            resource={resource}
            kind={kind}
            workspace={workspace}
            onChange={refresh}
            onDelete={onClose}
          />
        }
      />
      <div className="resource-body">
        <div>
          {facts(resource, refresh)}
          <SpecSection spec={resource.spec} />
        </div>
        <div>
          <Section title="Events">
            <StateStrip events={events} />
            <EventTimeline events={events} />
          </Section>
          <ResourceChanges workspace={workspace} kind={kind} name={name} id={resource.id} version={resource.version} />
          {account !== undefined && kinds[kind].billedAs !== undefined && (
            <ResourceCost account={account} workspace={workspace} type={kinds[kind].billedAs} name={name} />
          )}
          <Section title="Details">
            <dl className="facts">
              {metadata.url !== null && (
                <Fact name="URL">
                  <span className="mono wrap">{metadata.url}</span>
                  <CopyButton text={metadata.url} label="Copy URL" />
                </Fact>
              )}
              {metadata.externalId !== null && (
                <Fact name="External id">
                  <span className="mono">{metadata.externalId}</span>
                  <CopyButton text={metadata.externalId} label="Copy external id" />
                </Fact>
              )}
              {metadata.labels.length > 0 && (
                <Fact name="Labels">
                  <ul className="labels">
                    {metadata.labels.map(({ key, value }) => (
                      <li key={key}>
                        <span className="quiet">{key}</span> {value}
                      </li>
                    ))}
                  </ul>
                </Fact>
              )}
              <Fact name="Created">
                {metadata.createdAt !== null && <Time value={metadata.createdAt} />}
                {metadata.createdBy !== null && <span className="quiet">by {metadata.createdBy}</span>}
              </Fact>
              <Fact name="Updated">
                {metadata.updatedAt !== null && <Time value={metadata.updatedAt} />}
                {metadata.updatedBy !== null && <span className="quiet">by {metadata.updatedBy}</span>}
              </Fact>
              <Fact name="Id">
                <span className="mono cut">{resource.id}</span>
                <CopyButton text={resource.id} label="Copy id" />
              </Fact>
            </dl>
          </Section>
        </div>
      </div>
    </article>
  );
}

/** The display name, address, region and last change of a resource. */
function Essentials({ resource: { metadata, spec } }: { resource: AnyResource }): ReactElement {
  const { displayName, url, updatedAt } = metadata;
  return (
    <>
      {displayName != null && <span>{displayName}</span>}
      {url !== null && (
        <span className="mono wrap">
          {url} <CopyButton text={url} label="Copy endpoint" />
        </span>
      )}
      {'region' in spec && spec.region !== null && <span>{spec.region}</span>}
      {updatedAt !== null && (
        <span>
          Updated <Time value={updatedAt} />
        </span>
      )}
    </>
  );
}

function ResourceSkeleton(): ReactElement {
  return (
    <div className="resource-skeleton" aria-hidden="true">
      {[180, 320, 260, 300, 220, 280].map((width) => (
        <span key={width} className="skeleton" style={{ width }} />
      ))}
    </div>
  );
}
