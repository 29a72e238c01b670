import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { perform } from '../api/perform.js';
import type { AllNodes } from '../api/use-all-nodes.js';
import { formatBytes, plural } from '../look/amount.js';
import { Confirm } from '../look/confirm.js';
import { FurtherPages } from '../look/further-pages.js';
import { formatCount } from '../look/money.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { RowMenu } from '../look/row-menu.js';
import { StateMark } from '../look/state-mark.js';
import { Time } from '../look/time-text.js';
import { showToast } from '../look/toasts.js';
import { Section } from '../resources/section.js';
import { deleteTagMutation } from './image-queries.js';
import type { Image } from './image-queries.js';
import { tagUsersOf } from './tag-users.js';
import type { TagUser } from './tag-users.js';

type Tag = Image['spec']['tags']['nodes'][number];

const tagColumns: TableColumn<Tag>[] = [
  { label: 'Tag', value: ({ name }) => name },
  { label: 'Size', value: ({ size }) => size },
  { label: 'Created', value: ({ createdAt }) => createdAt },
  { label: 'Used by' },
];

interface ImageTagsProps {
  image: Image;
  tags: AllNodes<Tag>;
  /** The workloads that run the image; undefined for users who cannot read them. */
  workloads: AllNodes<unknown> | undefined;
  workspace: string;
  isAdmin: boolean;
  onChange: () => void;
}

/** The tags of an image, with the workloads that run each. */
export function ImageTags(props: ImageTagsProps): ReactElement {
  const { image, tags, workloads, workspace, isAdmin, onChange } = props;
  const { totalCount } = image.spec.tags;
  const users = tagUsersOf(image);
  const { rows, headings, filterField, noMatch } = useTableRows(tags.nodes, tagColumns, ({ name }) => name);
  const workloadCount = image.workloads?.totalCount ?? 0;
  const isChecked = workloads === undefined || workloads.isComplete;
  const note = isChecked
    ? ''
    : `Only the first ${workloads.nodes.length} of ${workloadCount} workloads of the image were checked.`;
  return (
    <Section title={`Tags (${formatCount(totalCount)})`} aside={filterField}>
      {tags.nodes.length === 0 ? (
        <p className="quiet">No tags.</p>
      ) : (
        <PlainTable columns={headings} rows={rows} noMatch={noMatch}>
          {(tag) => {
            const own = users.filter((user) => user.tag === tag.name);
            return (
              <tr key={tag.id}>
                <td className="mono">{tag.name}</td>
                <td title={`${tag.size} bytes`} data-label="size">
                  {formatBytes(tag.size)}
                </td>
                <td data-label="created">
                  <Time value={tag.createdAt} />
                </td>
                <td data-label="used by" className="wrap">
                  {own.length === 0 ? (
                    <span className="quiet">{isChecked ? 'Not used' : 'Not all workloads checked'}</span>
                  ) : (
                    <Users users={own} workspace={workspace} />
                  )}
                </td>
                <td>
                  {isAdmin && (
                    <RowMenu
                      label={`Actions of tag ${tag.name}`}
                      actions={[
                        {
                          label: 'Delete tag…',
                          isDestructive: true,
                          dialog: (control) => (
                            <Confirm
                              control={control}
                              title={`Delete tag ${tag.name}?`}
                              confirm="Delete tag"
                              keep="Cancel"
                              run={async () => {
                                const why = await perform(deleteTagMutation, { id: tag.id, version: tag.version });
                                if (why !== undefined) return why;
                                showToast(`Tag ${tag.name} deleted`);
                                onChange();
                                return undefined;
                              }}
                            >
                              {own.length === 0
                                ? 'No workload of this workspace names it.'
                                : `${plural(own.length, 'workload')} run it: ${own.map(({ name }) => name).join(', ')}. They cannot be deployed with it again.`}{' '}
                              {note} This cannot be undone.
                            </Confirm>
                          ),
                        },
                      ]}
                    />
                  )}
                </td>
              </tr>
            );
          }}
        </PlainTable>
      )}
      {workloads !== undefined && <FurtherPages of="workloads" list={workloads} totalCount={workloadCount} />}
      <FurtherPages of="tags" list={tags} totalCount={totalCount} />
    </Section>
  );
}

const linksMax = 5;

function Users({ users, workspace }: { users: readonly TagUser[]; workspace: string }): ReactElement {
  return (
    <>
      {users.slice(0, linksMax).map(({ id, kind, name }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind, name }} className="text-link mono">
            {name}
          </Link>
        </span>
      ))}
      {users.length > linksMax && ` and ${users.length - linksMax} more`}
    </>
  );
}

/** The workloads that run an image, with their states and tags. */
export function ImageWorkloads(props: Pick<ImageTagsProps, 'image' | 'workloads' | 'workspace'>): ReactElement {
  const { image, workloads, workspace } = props;
  const users = tagUsersOf(image);
  const total = image.workloads?.totalCount ?? 0;
  return (
    <Section title={`Used by (${formatCount(total)})`}>
      {users.length === 0 ? (
        <p className="quiet">No workload of this workspace runs the image.</p>
      ) : (
        <PlainTable columns={['State', 'Workload', 'Tag']} hasNoActions label="Workloads" rows={users}>
          {({ id, kind, name, status, tag }) => (
            <tr key={id}>
              <td>
                <StateMark state={status} />
              </td>
              <td>
                <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind, name }} className="text-link mono">
                  {name}
                </Link>
              </td>
              <td data-label="Tag" className="mono">
                {tag ?? <span className="quiet">None</span>}
              </td>
            </tr>
          )}
        </PlainTable>
      )}
      {workloads !== undefined && <FurtherPages of="workloads" list={workloads} totalCount={total} />}
    </Section>
  );
}
