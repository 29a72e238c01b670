import { Link, getRouteApi, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { perform } from '../api/perform.js';
import { useRefresh } from '../api/use-refresh.js';
import { useViewer } from '../frame/viewer.js';
import { formatBytes, plural } from '../look/amount.js';
import { Confirm } from '../look/confirm.js';
import { capitalize } from '../look/labels.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { PageHeading } from '../look/page-heading.js';
import { RowMenu } from '../look/row-menu.js';
import { Skeletons } from '../look/skeletons.js';
import { Tabs } from '../look/tabs.js';
import { Time } from '../look/time-text.js';
import { showToast } from '../look/toasts.js';
import { EventTimeline } from '../resources/event-timeline.js';
import { Fact, Section } from '../resources/section.js';
import { ImageActivity } from './image-activity.js';
import { deleteImageMutation, imageQuery, imageTagsQuery, imageWorkloadsQuery } from './image-queries.js';
import type { Image } from './image-queries.js';
import { ImageShares, ShareImage } from './image-shares.js';
import { imageTabIn, imageTabs, imageTabTitles } from './image-tab.js';
import { ImageTags, ImageWorkloads } from './image-tags.js';
import '../resources/resource-panel.css';

const route = getRouteApi('/w/$workspace/images/$type/$name');
const types = ['AGENTS', 'FUNCTIONS', 'JOBS', 'SANDBOXES'] as const;

/** The page of an image: its tags, its shares, and the workloads that run it. */
export function ImageView(): ReactElement {
  const { workspace, type: typeText, name } = route.useParams();
  const type = types.find((each) => each === typeText.toUpperCase());
  const [{ data, error }, again] = useAnswer({
    query: imageQuery,
    variables: { workspace, type: type ?? 'AGENTS', name },
    pause: type === undefined,
  });
  const refresh = () => again({ requestPolicy: 'network-only' });
  useRefresh(() => {
    if (type !== undefined) refresh();
  });
  const image = data?.image;
  if (image != null) return <ImagePage image={image} workspace={workspace} type={typeText} onChange={refresh} />;
  return (
    <div className="view">
      <h1 className="hidden">{name}</h1>
      {type === undefined || image === null ? (
        <Notice title={`Image “${name}” not found`}>
          It was deleted or renamed.{' '}
          <Link to="/w/$workspace/images" params={{ workspace }} className="text-link">
            View all images
          </Link>
        </Notice>
      ) : error === undefined ? (
        <Skeletons />
      ) : (
        <FailureNotice error={error} onRetry={refresh} />
      )}
    </div>
  );
}

interface ImagePageProps {
  image: Image;
  workspace: string;
  /** The type in the URL. */
  type: string;
  onChange: () => void;
}

function ImagePage({ image: loaded, workspace, type, onChange }: ImagePageProps): ReactElement {
  const tab = imageTabIn(useParams({ strict: false }).tab);
  const { workspaces } = useViewer();
  const isAdmin = workspaces.find(({ name }) => name === workspace)?.viewerRole === 'ADMIN';
  const { name, resourceType } = loaded.metadata;
  const variables = { workspace, type: resourceType, name };
  // All of both: a tag says who runs it before it is deleted.
  const workloads = useAllNodes(loaded.workloads, {
    query: imageWorkloadsQuery,
    variables,
    pageOf: (answer) => answer.image?.workloads,
  });
  const tags = useAllNodes(loaded.spec.tags, {
    query: imageTagsQuery,
    variables,
    pageOf: (answer) => answer.image?.spec.tags,
  });
  const image: Image = {
    ...loaded,
    spec: { ...loaded.spec, tags: { ...loaded.spec.tags, nodes: [...tags.nodes] } },
    workloads: loaded.workloads && { ...loaded.workloads, nodes: [...(workloads?.nodes ?? [])] },
  };
  const { metadata, spec } = image;
  const params = { workspace, type, name };
  return (
    <div className="resource-page">
      <article className="resource" aria-label={metadata.name}>
        <PageHeading
          title={metadata.name}
          isName
          essentials={
            <>
              {metadata.displayName !== null && <span>{metadata.displayName}</span>}
              <span>Image for {metadata.resourceType.toLowerCase()}</span>
              <span>
                {plural(spec.tags.totalCount, 'tag')}, {formatBytes(spec.size)}
              </span>
              <span>
                {metadata.lastDeployedAt === null ? (
                  'Never deployed'
                ) : (
                  <>
                    Deployed <Time value={metadata.lastDeployedAt} />
                  </>
                )}
              </span>
            </>
          }
          actions={isAdmin ? <ImageActions image={image} workspace={workspace} /> : undefined}
        />
        <Tabs label={`Pages of ${metadata.name}`} current={tab ?? ''}>
          <Link to="/w/$workspace/images/$type/$name" params={params} activeOptions={{ exact: true }} className="tab">
            Overview
          </Link>
          {imageTabs.map((each) => (
            <Link
              key={each}
              to="/w/$workspace/images/$type/$name/$tab"
              params={{ ...params, tab: each }}
              className="tab"
            >
              {imageTabTitles[each]}
            </Link>
          ))}
        </Tabs>
        {tab === 'tags' ? (
          <div>
            <ImageTags
              image={image}
              tags={tags}
              workloads={workloads}
              workspace={workspace}
              isAdmin={isAdmin}
              onChange={onChange}
            />
          </div>
        ) : tab === 'shares' ? (
          <div>
            <ImageShares image={image} workspace={workspace} isAdmin={isAdmin} />
          </div>
        ) : tab === 'activity' ? (
          <ImageActivity image={image} workspace={workspace} />
        ) : (
          <div className="resource-body">
            <div>
              <ImageWorkloads image={image} workloads={workloads} workspace={workspace} />
            </div>
            <div>
              <Section title="Details">
                <dl className="facts">
                  <Fact name="Type">{capitalize(metadata.resourceType.toLowerCase())}</Fact>
                  {metadata.sourceWorkspaceName !== null && (
                    <Fact name="Shared by">{metadata.sourceWorkspaceName}</Fact>
                  )}
                  <Fact name="Created">{metadata.createdAt !== null && <Time value={metadata.createdAt} />}</Fact>
                  <Fact name="Updated">{metadata.updatedAt !== null && <Time value={metadata.updatedAt} />}</Fact>
                </dl>
              </Section>
              <Section title="Events">
                <EventTimeline events={metadata.events} shownMax={5} isRunning={false} />
              </Section>
            </div>
          </div>
        )}
      </article>
    </div>
  );
}

function ImageActions({ image, workspace }: { image: Image; workspace: string }): ReactElement {
  const navigate = useNavigate();
  const count = image.spec.tags.totalCount;
  const { name } = image.metadata;
  const workloadCount = image.workloads?.totalCount ?? 0;
  const remove = async () => {
    const why = await perform(deleteImageMutation, { id: image.id, version: image.version });
    if (why !== undefined) return why;
    showToast(`${name} deleted`);
    await navigate({ to: '/w/$workspace/images', params: { workspace } });
    return undefined;
  };
  return (
    <div className="resource-buttons">
      <ShareImage image={image} workspace={workspace} />
      <RowMenu
        label="More actions"
        actions={[
          {
            label: 'Delete image…',
            isDestructive: true,
            dialog: (control) => (
              <Confirm control={control} title={`Delete ${name}?`} confirm="Delete image" keep="Cancel" run={remove}>
                {plural(count, 'tag')} {count === 1 ? 'is' : 'are'} deleted with it.{' '}
                {workloadCount === 0
                  ? 'No workload of this workspace runs it.'
                  : `${plural(workloadCount, 'workload')} of this workspace ${workloadCount === 1 ? 'runs' : 'run'} it.`}{' '}
                Copies in other workspaces are kept. This cannot be undone.
              </Confirm>
            ),
          },
        ]}
      />
    </div>
  );
}
