import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { useViewer } from '../frame/viewer.js';
import { FailureNotice, Notice } from '../look/notice.js';
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
      <ul className="share-list">
        {offers.nodes.map(({ id, spec, metadata }) => (
          <li key={id}>
            <span>
              <span className="mono">{spec.imageName}</span>{' '}
              <span className="quiet">
                for {spec.resourceType.toLowerCase()}, from {metadata.sourceWorkspaceName}
                {metadata.createdBy === null ? '' : `, by ${metadata.createdBy}`}
              </span>
            </span>
            <span className="quiet">
              <Time value={metadata.createdAt} />
            </span>
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
          </li>
        ))}
      </ul>
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
      <ul className="share-list">
        {offered.nodes.map(({ id, status, spec, metadata }) => (
          <li key={id}>
            <span>
              <span className="mono">{spec.imageName}</span>{' '}
              <span className="quiet">
                for {spec.resourceType.toLowerCase()}, to {metadata.workspaceName}
                {metadata.decidedBy === null ? '' : `, decided by ${metadata.decidedBy}`}
              </span>
            </span>
            <span className="share-state">
              <StateMark state={status} />{' '}
              <span className="quiet">
                <ShareTime at={metadata.decidedAt ?? metadata.createdAt} />
              </span>
            </span>
            {isAdmin && status === 'PENDING' && (
              <AnswerShare
                answer="revoke"
                id={id}
                image={spec.imageName}
                other={metadata.workspaceName}
                onDone={onChange}
              />
            )}
          </li>
        ))}
      </ul>
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
