import type { TypedDocumentNode } from '@urql/core';
import { useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { usePolling } from '../api/use-polling.js';
import { useRefresh } from '../api/use-refresh.js';
import { ResourceActions } from '../editing/resource-actions.js';
import { useViewer } from '../frame/viewer.js';
import { kinds } from '../kinds/kinds.js';
import type { Kind } from '../kinds/kinds.js';
import { FailureNotice } from '../look/notice.js';
import { StateMark } from '../look/state-mark.js';
import { toneOf } from '../look/state.js';
import { Time } from '../look/time-text.js';
import { ProtectedMark } from '../editing/protected.js';
import { AgentFacts } from './agent-facts.js';
import { DeletedResource } from './deleted-resource.js';
import { Essentials } from './essentials.js';
import { EventTimeline } from './event-timeline.js';
import { ExecutionsTab, LatestExecutions } from './executions-table.js';
import { FailureCause } from './failure-cause.js';
import { JobFacts } from './job-facts.js';
import { EgressGateways, NetworkFacts } from './network-facts.js';
import { PreviewTable } from './preview-table.js';
import { agentQuery, jobQuery, networkQuery, sandboxQuery, volumeQuery } from './resource-queries.js';
import type { AnyResource } from './resource-queries.js';
import { ResourceChanges } from './resource-changes.js';
import { ResourceCost } from './resource-cost.js';
import { ResourceDetails } from './resource-details.js';
import { ResourceHeading } from './resource-heading.js';
import type { ResourceTab } from './resource-tab.js';
import { ResourceTabs } from './resource-tabs.js';
import { RevisionTable } from './revision-table.js';
import { SandboxFacts } from './sandbox-facts.js';
import { Section } from './section.js';
import { StateStrip } from './state-strip.js';
import { VolumeFacts } from './volume-facts.js';
import { YamlTab } from './yaml-tab.js';
import './resource-panel.css';

interface ResourcePanelProps {
  workspace: string;
  kind: Kind;
  name: string;
  /** The tab of a page; undefined for the overview. */
  tab?: ResourceTab | undefined;
  /** Set for a preview beside a list, which has no tabs. */
  onClose?: () => void;
}

/** A resource: its header, and one of its tabs. */
export function ResourcePanel(props: ResourcePanelProps): ReactElement {
  const { kind, workspace } = props;
  if (kind === 'agents') {
    return (
      <Panel
        {...props}
        query={agentQuery}
        facts={(agent, isSummary) => <AgentFacts agent={agent} workspace={workspace} isSummary={isSummary} />}
        parts={(agent) => <RevisionTable agent={agent} />}
      />
    );
  }
  if (kind === 'sandboxes') {
    return (
      <Panel
        {...props}
        query={sandboxQuery}
        facts={(sandbox, isSummary) => <SandboxFacts sandbox={sandbox} workspace={workspace} isSummary={isSummary} />}
        parts={(sandbox, onChange) => <PreviewTable sandbox={sandbox} workspace={workspace} onChange={onChange} />}
      />
    );
  }
  if (kind === 'jobs') {
    return (
      <Panel
        {...props}
        query={jobQuery}
        facts={(job, isSummary) => <JobFacts job={job} isSummary={isSummary} />}
        parts={(job) => <LatestExecutions job={job} workspace={workspace} />}
      />
    );
  }
  if (kind === 'volumes') {
    return <Panel {...props} query={volumeQuery} facts={(volume) => <VolumeFacts volume={volume} />} />;
  }
  return (
    <Panel
      {...props}
      query={networkQuery}
      facts={(network) => <NetworkFacts network={network} />}
      parts={(network, onChange) => <EgressGateways network={network} workspace={workspace} onChange={onChange} />}
    />
  );
}

interface PanelProps<Found extends AnyResource> extends ResourcePanelProps {
  query: TypedDocumentNode<{ resource: Found | null }, { workspace: string; name: string }>;
  /** The configuration; as a summary for the overview. */
  facts: (resource: Found, isSummary: boolean) => ReactNode;
  /** The items that belong to it, such as executions. */
  parts?: (resource: Found, onChange: () => void) => ReactNode;
}

function Panel<Found extends AnyResource>(props: PanelProps<Found>): ReactElement {
  const { workspace, kind, name, tab, onClose, query, facts, parts } = props;
  const [{ data, error }, again] = useAnswer({ query, variables: { workspace, name } });
  const [isEditing, setEditing] = useState(false);
  const resource = data?.resource;
  const tone = toneOf(resource?.status);
  const refresh = () => again({ requestPolicy: 'network-only' });
  usePolling(again, tone === 'in-progress' || tone === 'stopping' ? 2_000 : 10_000);
  // After a change that was made, or undone, elsewhere on the page.
  useRefresh(refresh);
  if (resource === null) {
    return <DeletedResource workspace={workspace} kind={kind} name={name} onClose={onClose} />;
  }
  if (resource === undefined) {
    return (
      <div className="resource" aria-busy={error === undefined}>
        <ResourceHeading kind={kind} name={name} workspace={workspace} onClose={onClose} />
        {error === undefined ? <ResourceSkeleton /> : <FailureNotice error={error} onRetry={refresh} />}
      </div>
    );
  }
  const { status, events } = resource;
  return (
    <article className="resource" aria-label={name}>
      <ResourceHeading
        kind={kind}
        name={name}
        workspace={workspace}
        onClose={onClose}
        state={
          <>
            <StateMark state={status} unknownSince={resource.observed?.unknownSince} />
            {resource.metadata.protected === true && <ProtectedMark />}
          </>
        }
        essentials={<Essentials resource={resource} />}
        reason={
          <Reason
            id={resource.id}
            kind={kind}
            workspace={workspace}
            name={name}
            status={status}
            event={events.at(-1)}
          />
        }
        actions={
          <ResourceActions
            resource={resource}
            kind={kind}
            workspace={workspace}
            isEditing={isEditing}
            onEdit={setEditing}
            onChange={refresh}
            onDelete={onClose}
          />
        }
      />
      {onClose === undefined && <ResourceTabs workspace={workspace} kind={kind} name={name} current={tab} />}
      {tab === undefined ? (
        <div className="resource-body">
          <div>
            {parts?.(resource, refresh)}
            {facts(resource, true)}
            <ResourceDetails resource={resource} />
          </div>
          <div>
            <Section title="Events">
              <StateStrip events={events} />
              <EventTimeline events={events} shownMax={5} />
            </Section>
            <ResourceChanges
              workspace={workspace}
              kind={kind}
              name={name}
              id={resource.id}
              version={resource.version}
              isSummary
            />
            <CostSection workspace={workspace} kind={kind} name={name} />
          </div>
        </div>
      ) : tab === 'configuration' ? (
        <div>{facts(resource, false)}</div>
      ) : tab === 'executions' ? (
        <div>
          <ExecutionsTab key={`${workspace} ${name}`} job={name} workspace={workspace} />
        </div>
      ) : tab === 'activity' ? (
        <div className="resource-body">
          <div>
            <ResourceChanges
              workspace={workspace}
              kind={kind}
              name={name}
              id={resource.id}
              version={resource.version}
              onChange={refresh}
            />
          </div>
          <div>
            <Section title="Events">
              <StateStrip events={events} />
              <EventTimeline events={events} shownMax={30} />
            </Section>
          </div>
        </div>
      ) : tab === 'costs' ? (
        <div>
          <CostSection workspace={workspace} kind={kind} name={name} isDetailed />
        </div>
      ) : (
        <div>
          <YamlTab resource={resource} kind={kind} workspace={workspace} onEdit={() => setEditing(true)} />
        </div>
      )}
    </article>
  );
}

interface CostSectionProps {
  workspace: string;
  kind: Kind;
  name: string;
  isDetailed?: boolean;
}

function CostSection({ workspace, kind, name, isDetailed = false }: CostSectionProps): ReactElement | null {
  const { workspaces, accounts } = useViewer();
  const owner = workspaces.find((each) => each.name === workspace)?.account.name;
  const account = accounts.find((each) => each.name === owner);
  const type = kinds[kind].billedAs;
  if (account === undefined || type === undefined) return null;
  return <ResourceCost account={account} workspace={workspace} type={type} name={name} isDetailed={isDetailed} />;
}

/** The latest message of the platform about a resource. */
interface ReasonProps {
  id: string;
  kind: Kind;
  workspace: string;
  name: string;
  status: AnyResource['status'];
  event: AnyResource['events'][number] | undefined;
}

function Reason({ id, kind, workspace, name, status, event }: ReasonProps): ReactElement | null {
  if (event?.message == null) return null;
  const isFailed = toneOf(status) === 'failed';
  return (
    <p className={isFailed ? 'resource-reason failed' : 'resource-reason quiet'}>
      <span>
        {event.message}
        {event.time !== null && (
          <span className="quiet">
            , <Time value={event.time} />
          </span>
        )}
      </span>
      {isFailed && event.time !== null && (
        <FailureCause id={id} kind={kind} workspace={workspace} name={name} at={event.time} />
      )}
    </p>
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
