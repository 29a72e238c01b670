import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { graphql } from '../api/graphql.js';
import { formatBytes, plural } from '../look/amount.js';
import { Choice } from '../look/choice.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { Time } from '../look/time-text.js';
import { ListCount } from '../look/list-count.js';
import { sorts } from '../lists/list-search.js';
import { pageSource } from '../lists/page-source.js';
import { RowWindow } from '../lists/row-window.js';
import { usePageWindow } from '../lists/use-page-window.js';
import { SearchField } from '../lists/search-field.js';
import '../look/beside.css';
import '../lists/list-view.css';
import './images.css';

const imageRow = graphql(`
  fragment ImageRow on Image {
    id
    metadata {
      name
      displayName
      resourceType
      lastDeployedAt
      sourceWorkspaceName
    }
    spec {
      size
      tags(first: 0) {
        totalCount
      }
    }
  }
`);

interface ImageRow {
  id: string;
  name: string;
  type: string;
  size: number;
  tags: number;
  lastDeployedAt: string | null;
  sourceWorkspace: string | null;
}

const imageSource = pageSource('Image', imageRow, ({ id, metadata, spec }): ImageRow => ({
  id,
  name: metadata.name,
  type: metadata.resourceType.toLowerCase(),
  size: spec.size,
  tags: spec.tags.totalCount,
  lastDeployedAt: metadata.lastDeployedAt,
  sourceWorkspace: metadata.sourceWorkspaceName,
}));

const route = getRouteApi('/w/$workspace/images');

/** The container images of a workspace. */
export function ImagesView(): ReactElement {
  const { workspace } = route.useParams();
  return <Images key={workspace} workspace={workspace} />;
}

function Images({ workspace }: { workspace: string }): ReactElement {
  const { q, sort = 'newest' } = route.useSearch();
  const navigate = useNavigate();
  const { window, asked, question, isOld, failure, reload } = usePageWindow(
    JSON.stringify([q, sort]),
    { q },
    imageSource({ workspace, search: q, sort }),
  );
  const { state } = window;
  const onTyped = (typed: string | undefined) => {
    void navigate({
      to: '/w/$workspace/images',
      params: { workspace },
      search: ({ q: _before, ...rest }) => (typed === undefined ? rest : { ...rest, q: typed }),
      replace: true,
    });
  };
  return (
    <div className="list-layout">
      <section className="list images-list" aria-label="Images">
        <div className="list-bar">
          <h1>Images</h1>
          <ListCount
            of="images"
            text={state.hasLoaded && !isOld ? plural(state.count, 'image') : undefined}
            error={state.error}
          />
          <SearchField
            className="field list-search"
            q={q}
            onTyped={onTyped}
            placeholder="Name or title"
            label="Filter images by name or title"
          />
          <Choice
            label="Sort"
            value={sort}
            options={(['newest', 'oldest', 'name', 'name-desc'] as const).map((value) => ({
              value,
              label: sorts[value].label,
            }))}
            onChange={(value) =>
              void navigate({
                to: '/w/$workspace/images',
                params: { workspace },
                search: (before) => ({ ...before, sort: value }),
                replace: true,
              })
            }
          />
        </div>
        {failure !== undefined ? (
          <FailureNotice error={failure} onRetry={reload} />
        ) : state.hasLoaded && state.length === 0 ? (
          <Older isOld={isOld}>
            <Notice title={asked.q === undefined ? 'No images yet' : `No images match “${asked.q}”`}>
              {asked.q === undefined ? (
                'Images appear when a workload is built or an image is shared with this workspace.'
              ) : (
                <Link to="/w/$workspace/images" params={{ workspace }} className="text-link">
                  Clear filters
                </Link>
              )}
            </Notice>
          </Older>
        ) : (
          <RowWindow
            label="Images"
            window={window}
            question={question}
            isOld={isOld}
            active={-1}
            onKeyDown={() => {}}
            headings={['Name', 'Type', 'Tags', 'Size', 'Source', 'Last deployed'].map((label) => ({ label }))}
            row={(row: ImageRow) => (
              <>
                <span role="cell" className="cell-name">
                  <Link
                    to="/w/$workspace/images/$type/$name"
                    params={{ workspace, type: row.type, name: row.name }}
                    className="mono cut"
                    title={row.name}
                  >
                    {row.name}
                  </Link>
                </span>
                <span role="cell" className="cell-state quiet">
                  {row.type}
                </span>
                <span role="cell" className="cell-detail quiet">
                  {plural(row.tags, 'tag')}
                </span>
                <span role="cell" className="cell-region quiet">
                  {formatBytes(row.size)}
                </span>
                <span role="cell" className="cell-text cell-labels quiet">
                  {row.sourceWorkspace !== null && (
                    <span title={`Shared by ${row.sourceWorkspace}`}>Shared by {row.sourceWorkspace}</span>
                  )}
                </span>
                <span role="cell" className="cell-time quiet">
                  {row.lastDeployedAt === null ? 'Never' : <Time value={row.lastDeployedAt} />}
                </span>
                <span role="cell" className="cell-action" />
              </>
            )}
          />
        )}
      </section>
    </div>
  );
}
