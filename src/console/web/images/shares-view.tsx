import { getRouteApi } from '@tanstack/react-router';
import type { CombinedError } from '@urql/core';
import type { ReactElement, ReactNode } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import type { AllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { useViewer } from '../frame/viewer.js';
import { FurtherPages } from '../look/further-pages.js';
import { capitalize } from '../look/labels.js';
import { MissingSection } from '../look/missing-section.js';
import { Notice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { offeredSharesQuery, pendingSharesQuery } from './image-queries.js';
import type { OfferedShare, PendingShare } from './image-queries.js';
import { AnswerShare } from './share-answers.js';
import type { ShareAnswer } from './share-answers.js';
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
      <SharesSection
        title="Shared with this workspace"
        columns={{ other: 'From', person: 'Shared by', time: 'Shared' }}
        error={pending.error}
        list={allPending}
        totalCount={pending.data?.workspace?.pendingImageShares?.totalCount ?? 0}
        shareOf={({ spec, metadata }: PendingShare) => ({
          spec,
          other: metadata.sourceWorkspaceName,
          person: metadata.createdBy,
          time: metadata.createdAt,
        })}
        answersOf={() => (isAdmin ? ['accept', 'decline'] : [])}
        note={isAdmin ? undefined : 'Only an admin can accept or decline.'}
        empty={
          <Notice title="No pending image shares">
            Images that another workspace shares with this one appear here.
          </Notice>
        }
        onChange={refresh}
      />
      <SharesSection
        title="Shared with others"
        columns={{ other: 'To', person: 'Decided by', time: 'Changed' }}
        error={offered.error}
        list={allOffered}
        totalCount={offered.data?.workspace?.offeredImageShares?.filteredCount ?? 0}
        shareOf={({ spec, status, metadata }: OfferedShare) => ({
          spec,
          status,
          other: metadata.workspaceName,
          person: metadata.decidedBy,
          time: metadata.decidedAt ?? metadata.createdAt,
        })}
        answersOf={({ status }) => (isAdmin && status === 'PENDING' ? ['revoke'] : [])}
        onChange={refresh}
      />
    </div>
  );
}

/** What a section shows of a share. */
interface ShownShare {
  spec: PendingShare['spec'];
  /** Shown if the section has shares of several states. */
  status?: OfferedShare['status'];
  /** The other workspace. */
  other: string;
  person: string | null;
  time: string | null;
}

interface SharesSectionProps<Share extends { id: string }> {
  title: string;
  columns: { other: string; person: string; time: string };
  error: CombinedError | undefined;
  /** Undefined until its first page is there. */
  list: AllNodes<Share> | undefined;
  totalCount: number;
  shareOf: (share: Share) => ShownShare;
  answersOf: (share: Share) => readonly ShareAnswer[];
  note?: string | undefined;
  /** In place of a section without shares. */
  empty?: ReactNode;
  onChange: () => void;
}

function SharesSection<Share extends { id: string }>(props: SharesSectionProps<Share>): ReactElement {
  const { title, columns, error, list, totalCount, shareOf, answersOf, note, empty, onChange } = props;
  const shown = (list?.nodes ?? []).map((share) => ({ ...shareOf(share), id: share.id, answers: answersOf(share) }));
  const hasStates = shown.some(({ status }) => status !== undefined);
  const { rows, headings, filterField, noMatch } = useTableRows(
    shown,
    [
      { label: 'Image', value: ({ spec }) => spec.imageName },
      ...(hasStates ? [{ label: 'State', value: ({ status }: ShownShare) => status }] : []),
      { label: 'For', value: ({ spec }) => spec.resourceType },
      { label: columns.other, value: ({ other }) => other },
      { label: columns.person, value: ({ person }) => person },
      { label: columns.time, value: ({ time }) => time },
    ],
    ({ spec, other, status = '' }) => `${spec.imageName} ${other} ${status}`,
  );
  if (list === undefined) return <MissingSection error={error} title={title} onRetry={onChange} />;
  return (
    <>
      {shown.length === 0 ? (
        empty
      ) : (
        <section className="panel" aria-label={title}>
          <header>
            <h2>{title}</h2>
            {filterField}
          </header>
          {note !== undefined && <p className="quiet">{note}</p>}
          <PlainTable columns={headings} label={title} rows={rows} noMatch={noMatch}>
            {({ id, spec, status, other, person, time, answers }) => (
              <tr key={id}>
                <td className="mono">{spec.imageName}</td>
                {status !== undefined && (
                  <td>
                    <StateMark state={status} />
                  </td>
                )}
                <td data-label="For">{capitalize(spec.resourceType.toLowerCase())}</td>
                <td data-label={columns.other} className="mono">
                  {other}
                </td>
                <td data-label={person === null ? undefined : columns.person} className="wrap">
                  {person}
                </td>
                <td data-label={columns.time}>{time !== null && <Time value={time} />}</td>
                <td>
                  {answers.length > 0 && (
                    <span className="share-answers">
                      {answers.map((answer) => (
                        <AnswerShare
                          key={answer}
                          answer={answer}
                          id={id}
                          image={spec.imageName}
                          other={other}
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
      )}
      <FurtherPages of={title.replace('Shared', 'shares')} list={list} totalCount={totalCount} />
    </>
  );
}
