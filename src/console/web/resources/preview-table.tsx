import type { ReactElement } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { PartMenu } from '../editing/part-menu.js';
import { ProtectedMark } from '../editing/protected.js';
import { CreateButton } from '../editing/create-button.js';
import { CopyButton } from '../look/copy-button.js';
import { FurtherPages } from '../look/further-pages.js';
import { formatCount } from '../look/money.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { shortUrl } from '../look/short-url.js';
import { Time } from '../look/time-text.js';
import { editableOf, previewsQuery, readPart } from './part-queries.js';
import type { Preview } from './resource-parts.js';
import type { Sandbox } from './resource-queries.js';
import { Section } from './section.js';
import '../editing/edit-dialog.css';

interface PreviewTableProps {
  sandbox: Sandbox;
  workspace: string;
  onChange: () => void;
}

const columns: TableColumn<Preview>[] = [
  { label: 'Preview', value: ({ metadata }) => metadata.name },
  { label: 'URL', value: ({ spec }) => spec.customDomain ?? spec.url },
  { label: 'Port', isNumber: true, value: ({ spec }) => spec.port },
  { label: 'Access', value: ({ spec }) => spec.public === true },
  { label: 'Expires', value: ({ spec }) => spec.expires },
];

const textOf = ({ metadata, spec }: Preview) =>
  [metadata.name, metadata.displayName, spec.url, spec.customDomain].join(' ');

/** The previews of a sandbox. */
export function PreviewTable({ sandbox, workspace, onChange }: PreviewTableProps): ReactElement {
  const { metadata } = sandbox;
  const { totalCount, nodes: first } = sandbox.previews ?? none;
  const all = useAllNodes(sandbox.previews, {
    query: previewsQuery,
    variables: { id: sandbox.id },
    pageOf: ({ node }) => (node?.__typename === 'Sandbox' ? node.previews : undefined),
  });
  const { nodes } = all ?? { nodes: first };
  const { rows, headings, filterField, noMatch } = useTableRows(nodes, columns, textOf);
  const parent = { workspace, sandboxName: metadata.name };
  return (
    <Section
      title={`Previews (${formatCount(totalCount)})`}
      aside={
        <span className="section-actions">
          {filterField}
          <CreateButton type="SandboxPreview" scope={parent} onCreated={onChange} />
        </span>
      }
    >
      {nodes.length === 0 ? (
        <p className="quiet">No previews yet.</p>
      ) : (
        <PlainTable columns={headings} label="Previews" rows={rows} noMatch={noMatch}>
          {(preview) => {
            const {
              id,
              metadata: { name, displayName },
              spec,
            } = preview;
            return (
              <tr key={id}>
                <td>
                  <span className="mono">{name}</span> {preview.metadata.protected === true && <ProtectedMark />}
                  {displayName !== null && <span className="under-name">{displayName}</span>}
                </td>
                <td className="whole">
                  <PreviewUrl spec={spec} name={name} />
                </td>
                <td className="number" data-label="Port">
                  {spec.port}
                </td>
                <td data-label="Access" className="nowrap">
                  {spec.public === true ? 'Public' : 'Token required'}
                </td>
                <td data-label="Expires">{spec.expires === null ? 'Never' : <Time value={spec.expires} />}</td>
                <td>
                  <PartMenu
                    which={{ type: 'SandboxPreview', scope: parent, name }}
                    resource={editableOf(preview)}
                    reload={async () => readPart('SandboxPreview', id)}
                    isProtected={preview.metadata.protected === true}
                    onDone={onChange}
                  >
                    The preview URL stops working. The sandbox is kept.
                  </PartMenu>
                </td>
              </tr>
            );
          }}
        </PlainTable>
      )}
      {all !== undefined && <FurtherPages of="previews" list={all} totalCount={totalCount} />}
    </Section>
  );
}

/** The address of a preview, as a link if it is one. */
function PreviewUrl({ spec, name }: { spec: Preview['spec']; name: string }): ReactElement | null {
  const url = spec.customDomain === null ? spec.url : `https://${spec.customDomain}`;
  if (url === null) return null;
  return (
    <span className="cell-url">
      <a className="text-link mono cut" href={url} title={url} target="_blank" rel="noopener noreferrer">
        {shortUrl(url)}
      </a>
      <CopyButton text={url} label={`Copy URL of ${name}`} />
    </span>
  );
}

/** The previews for a caller without the scope to read them. */
const none: { totalCount: number; nodes: readonly Preview[] } = { totalCount: 0, nodes: [] };
