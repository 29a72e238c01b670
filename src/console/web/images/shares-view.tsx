import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { useViewer } from '../frame/viewer.js';
import { FurtherPages } from '../look/further-pages.js';
import { capitalize } from '../look/labels.js';
import { MissingSection } from '../look/missing-section.js';
import { Notice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { offeredSharesQuery, pendingSharesQuery } from './image-queries.js';
import type { OfferedShare, PendingShare } from './image-queries.js';
import { AnswerShare } from './share-answers.js';
import './images.css';

const route = getRouteApi('/w/$workspace/shares');

/** Image shares that this workspace received and sent. */
export function SharesView(): ReactElement {
  const { workspace } = route.useParams();
  const variables = { workspace };
  const [pending, pendingAgain] = useAnswer({ query: pendingSharesQuery, variables });
  const [offered, offeredAgain] = useAnswer({ query: offeredSharesQuery, variables });
  const { workspaces } = useViewer();
  const isAdmin = workspaces.find(({ name }) => name === workspace)?.viewerRole === 'ADMIN';
  const refresh = () => {
    pendingAgain({ requestPolicy: 'network-only' });
    offeredAgain({ requestPolicy: 'network-only' });
  };
  const allPending = useAllNodes(pending.data?.workspace?.pendingImageShares, {
    query: pendingSharesQuery,
    variables,
    pageOf: (answer) => answer.workspace?.pendingImageShares,
  });
  const allOffered = useAllNodes(offered.data?.workspace?.offeredImageShares, {
    query: offeredSharesQuery,
    variables,
    pageOf: (answer) => answer.workspace?.offeredImageShares,
  });
  return (
    <div className="view">
      <h1>Image shares</h1>
      {pending.data?.workspace == null ? (
        <MissingSection {...pending} title="Shared with this workspace" onRetry={refresh} />
      ) : (
        allPending !== undefined && (
          <>
            <Offers offers={allPending.nodes} isAdmin={isAdmin} onChange={refresh} />
            <FurtherPages
              of="shares with this workspace"
              list={allPending}
              totalCount={pending.data.workspace.pendingImageShares?.totalCount ?? 0}
            />
          </>
        )
      )}
      {offered.data?.workspace == null ? (
        <MissingSection {...offered} title="Shared with others" onRetry={refresh} />
      ) : (
        allOffered !== undefined && (
          <>
            <Offered offered={allOffered.nodes} isAdmin={isAdmin} onChange={refresh} />
            <FurtherPages
              of="shares with others"
              list={allOffered}
              totalCount={offered.data.workspace.offeredImageShares?.filteredCount ?? 0}
            />
          </>
        )
      )}
    </div>
  );
}

interface AnswersProps {
  isAdmin: boolean;
  onChange: () => void;
}

const offerColumns: TableColumn<PendingShare>[] = [
  { label: 'Image', value: ({ spec }) => spec.imageName },
  { label: 'For', value: ({ spec }) => spec.resourceType },
  { label: 'From', value: ({ metadata }) => metadata.sourceWorkspaceName },
  { label: 'Shared by', value: ({ metadata }) => metadata.createdBy },
  { label: 'Shared', value: ({ metadata }) => metadata.createdAt },
];

const offerText = ({ spec, metadata }: PendingShare) => `${spec.imageName} ${metadata.sourceWorkspaceName}`;

function Offers({ offers, isAdmin, onChange }: AnswersProps & { offers: readonly PendingShare[] }): ReactElement {
  const { rows, headings, filterField, noMatch } = useTableRows(offers, offerColumns, offerText);
  if (offers.length === 0) {
    return (
      <Notice title="No pending image shares">Images that another workspace shares with this one appear here.</Notice>
    );
  }
  return (
    <section className="panel" aria-label="Shared with this workspace">
      <header>
        <h2>Shared with this workspace</h2>
        {filterField}
      </header>
      {!isAdmin && <p className="quiet">Only an admin can accept or decline.</p>}
      <PlainTable columns={headings} label="Shared with this workspace" rows={rows} noMatch={noMatch}>
        {({ id, spec, metadata }) => (
          <tr key={id}>
            <td className="mono">{spec.imageName}</td>
            <td data-label="For">{capitalize(spec.resourceType.toLowerCase())}</td>
            <td data-label="From" className="mono">
              {metadata.sourceWorkspaceName}
            </td>
            <td data-label="Shared by" className="wrap">
              {metadata.createdBy}
            </td>
            <td data-label="Shared">
              <Time value={metadata.createdAt} />
            </td>
            <td>
              {isAdmin && (
                <span className="share-answers">
                  {(['accept', 'decline'] as const).map((answer) => (
                    <AnswerShare
                      key={answer}
                      answer={answer}
                      id={id}
                      image={spec.imageName}
                      other={metadata.sourceWorkspaceName}
                      onDone={onChange}
                    />
                  ))}
                </span>
              )}
            </td>
          </tr>
        )}
      </PlainTable>
    </section>
  );
}

const offeredColumns: TableColumn<OfferedShare>[] = [
  { label: 'Image', value: ({ spec }) => spec.imageName },
  { label: 'State', value: ({ status }) => status },
  { label: 'For', value: ({ spec }) => spec.resourceType },
  { label: 'To', value: ({ metadata }) => metadata.workspaceName },
  { label: 'Decided by', value: ({ metadata }) => metadata.decidedBy },
  { label: 'Changed', value: ({ metadata }) => metadata.decidedAt ?? metadata.createdAt },
];

const offeredText = ({ spec, metadata, status }: OfferedShare) =>
  `${spec.imageName} ${metadata.workspaceName} ${status}`;

function Offered({
  offered,
  isAdmin,
  onChange,
}: AnswersProps & { offered: readonly OfferedShare[] }): ReactElement | null {
  const { rows, headings, filterField, noMatch } = useTableRows(offered, offeredColumns, offeredText);
  if (offered.length === 0) return null;
  return (
    <section className="panel" aria-label="Shared with others">
      <header>
        <h2>Shared with others</h2>
        {filterField}
      </header>
      <PlainTable columns={headings} label="Shared with others" rows={rows} noMatch={noMatch}>
        {({ id, status, spec, metadata }) => (
          <tr key={id}>
            <td className="mono">{spec.imageName}</td>
            <td>
              <StateMark state={status} />
            </td>
            <td data-label="For">{capitalize(spec.resourceType.toLowerCase())}</td>
            <td data-label="To" className="mono">
              {metadata.workspaceName}
            </td>
            <td data-label={metadata.decidedBy === null ? undefined : 'Decided by'} className="wrap">
              {metadata.decidedBy}
            </td>
            <td>
              <ShareTime at={metadata.decidedAt ?? metadata.createdAt} />
            </td>
            <td>
              {isAdmin && status === 'PENDING' && (
                <AnswerShare
                  answer="revoke"
                  id={id}
                  image={spec.imageName}
                  other={metadata.workspaceName}
                  onDone={onChange}
                />
              )}
            </td>
          </tr>
        )}
      </PlainTable>
    </section>
  );
}

function ShareTime({ at }: { at: string | null }): ReactElement | null {
  return at === null ? null : <Time value={at} />;
}
