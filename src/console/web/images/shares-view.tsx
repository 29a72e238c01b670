import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { useViewer } from '../frame/viewer.js';
import { capitalize } from '../look/labels.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { PlainTable } from '../look/plain-table.js';
import { Skeletons } from '../look/skeletons.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { AnswerShare } from './share-answers.js';
import './images.css';

const sharesQuery = graphql(`
  query Shares($workspace: String!) {
    workspace(name: $workspace) {
      id
      pendingImageShares(first: 100) {
        totalCount
        nodes {
          id
          status
          metadata {
            createdAt
            createdBy
            sourceWorkspaceName
          }
          spec {
            imageName
            resourceType
          }
        }
      }
      offeredImageShares(first: 100) {
        totalCount
        nodes {
          id
          status
          metadata {
            createdAt
            createdBy
            decidedAt
            decidedBy
            workspaceName
          }
          spec {
            imageName
            resourceType
          }
        }
      }
    }
  }
`);

type Shares = NonNullable<ResultOf<typeof sharesQuery>['workspace']>;

const route = getRouteApi('/w/$workspace/shares');

/** Image shares that this workspace received and sent. */
export function SharesView(): ReactElement {
  const { workspace } = route.useParams();
  const [{ data, error }, again] = useAnswer({ query: sharesQuery, variables: { workspace } });
  const { workspaces } = useViewer();
  const isAdmin = workspaces.find(({ name }) => name === workspace)?.viewerRole === 'ADMIN';
  const shares = data?.workspace;
  const refresh = () => again({ requestPolicy: 'network-only' });
  return (
    <div className="view">
      <h1>Image shares</h1>
      {error !== undefined && shares == null ? (
        <FailureNotice error={error} onRetry={refresh} />
      ) : shares == null ? (
        <Skeletons />
      ) : (
        <>
          {shares.pendingImageShares !== null && (
            <Offers offers={shares.pendingImageShares} isAdmin={isAdmin} onChange={refresh} />
          )}
          {shares.offeredImageShares !== null && (
            <Offered offered={shares.offeredImageShares} isAdmin={isAdmin} onChange={refresh} />
          )}
        </>
      )}
    </div>
  );
}

interface AnswersProps {
  isAdmin: boolean;
  onChange: () => void;
}

function Offers({
  offers,
  isAdmin,
  onChange,
}: AnswersProps & { offers: NonNullable<Shares['pendingImageShares']> }): ReactElement {
  if (offers.nodes.length === 0) {
    return (
      <Notice title="No pending image shares">Images that another workspace shares with this one appear here.</Notice>
    );
  }
  return (
    <section className="panel" aria-label="Shared with this workspace">
      <header>
        <h2>Shared with this workspace</h2>
      </header>
      {!isAdmin && <p className="quiet">Only an admin can accept or decline.</p>}
      <PlainTable columns={['Image', 'For', 'From', 'Shared by', 'Shared']} label="Shared with this workspace">
        {offers.nodes.map(({ id, spec, metadata }) => (
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
        ))}
      </PlainTable>
    </section>
  );
}

function Offered({
  offered,
  isAdmin,
  onChange,
}: AnswersProps & { offered: NonNullable<Shares['offeredImageShares']> }): ReactElement | null {
  if (offered.nodes.length === 0) return null;
  return (
    <section className="panel" aria-label="Shared with others">
      <header>
        <h2>Shared with others</h2>
      </header>
      <PlainTable columns={['Image', 'State', 'For', 'To', 'Decided by', 'Changed']} label="Shared with others">
        {offered.nodes.map(({ id, status, spec, metadata }) => (
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
        ))}
      </PlainTable>
      {offered.totalCount > offered.nodes.length && (
        <p className="quiet">
          Showing {offered.nodes.length} of {offered.totalCount} shares.
        </p>
      )}
    </section>
  );
}

function ShareTime({ at }: { at: string | null }): ReactElement | null {
  return at === null ? null : <Time value={at} />;
}
