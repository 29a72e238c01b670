import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../api/graphql.js';
import { formatBytes, plural } from '../look/amount.js';
import { CopyButton } from '../look/copy-button.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Time } from '../look/time-text.js';
import { EventTimeline } from '../resources/event-timeline.js';
import { happened } from '../resources/resource-parts.js';
import { Fact, Section } from '../resources/section.js';
import '../resources/resource-panel.css';

const imageQuery = graphql(
  `
    query ImageDetail($workspace: String!, $type: ImageResourceType!, $name: String!) {
      image(workspace: $workspace, resourceType: $type, name: $name) {
        id
        metadata {
          name
          displayName
          resourceType
          createdAt
          updatedAt
          lastDeployedAt
          sourceWorkspaceName
          events {
            ...Happened
          }
        }
        spec {
          size
          tags(first: 100) {
            totalCount
            nodes {
              id
              name
              size
              createdAt
            }
          }
        }
      }
    }
  `,
  [happened],
);

const route = getRouteApi('/w/$workspace/images/$type/$name');
const types = ['AGENTS', 'FUNCTIONS', 'JOBS', 'SANDBOXES'] as const;

/** One image with all its tags. */
export function ImageView(): ReactElement {
  const { workspace, type: typeText, name } = route.useParams();
  const type = types.find((each) => each === typeText.toUpperCase());
  const [{ data, error }, again] = useQuery({
    query: imageQuery,
    variables: { workspace, type: type ?? 'AGENTS', name },
    pause: type === undefined,
  });
  const image = data?.image;
  if (type === undefined || image === null) {
    return (
      <div className="view">
        <Notice title={`Image “${name}” not found`}>It was deleted or renamed.</Notice>
      </div>
    );
  }
  if (image === undefined) {
    return (
      <div className="view">
        {error === undefined ? null : (
          <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
        )}
      </div>
    );
  }
  const { metadata, spec } = image;
  return (
    <div className="resource-page">
      <article className="resource">
        <header className="resource-heading">
          <div>
            <h1 className="mono">{metadata.name}</h1>
            {metadata.displayName !== null && <p className="quiet">{metadata.displayName}</p>}
          </div>
          <CopyButton text={metadata.name} label="Copy the name" />
        </header>
        <p className="resource-state quiet">
          {plural(spec.tags.totalCount, 'tag')}, {formatBytes(spec.size)} total
        </p>
        <Section title="Tags">
          <div className="table-space">
            <table className="plain-table">
              <thead>
                <tr>
                  <th scope="col">Tag</th>
                  <th scope="col" className="number">
                    Size
                  </th>
                  <th scope="col">Created</th>
                </tr>
              </thead>
              <tbody>
                {spec.tags.nodes.map((tag) => (
                  <tr key={tag.id}>
                    <td className="mono">{tag.name}</td>
                    <td className="number" title={`${tag.size} bytes`}>
                      {formatBytes(tag.size)}
                    </td>
                    <td>{tag.createdAt !== null && <Time value={tag.createdAt} />}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {spec.tags.totalCount > spec.tags.nodes.length && (
            <p className="quiet">Showing the newest {spec.tags.nodes.length} tags.</p>
          )}
        </Section>
        <Section title="Details">
          <dl className="facts">
            <Fact name="Type">{metadata.resourceType.toLowerCase()}</Fact>
            {metadata.sourceWorkspaceName !== null && <Fact name="Shared by">{metadata.sourceWorkspaceName}</Fact>}
            <Fact name="Last deployed">
              {metadata.lastDeployedAt === null ? 'Never' : <Time value={metadata.lastDeployedAt} />}
            </Fact>
            <Fact name="Created">{metadata.createdAt !== null && <Time value={metadata.createdAt} />}</Fact>
          </dl>
        </Section>
        <Section title="Events">
          <EventTimeline events={metadata.events} />
        </Section>
      </article>
    </div>
  );
}
