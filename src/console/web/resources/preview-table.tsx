import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { PartMenu } from '../editing/part-menu.js';
import { ProtectedMark } from '../editing/protected.js';
import { documentOfPart } from '../editing/document-of.js';
import type { Editable } from '../editing/edit-dialog.js';
import { CreateButton } from '../editing/create-button.js';
import { CopyButton } from '../look/copy-button.js';
import { PlainTable } from '../look/plain-table.js';
import { shortUrl } from '../look/short-url.js';
import { Time } from '../look/time-text.js';
import { sandboxQuery } from './resource-queries.js';
import type { Sandbox } from './resource-queries.js';
import { Section } from './section.js';
import '../editing/edit-dialog.css';

interface PreviewTableProps {
  sandbox: Sandbox;
  workspace: string;
  onChange: () => void;
}

const columns = ['Preview', 'URL', { label: 'Port', isNumber: true }, 'Access', 'Expires'];

/** The previews of a sandbox. */
export function PreviewTable({ sandbox, workspace, onChange }: PreviewTableProps): ReactElement {
  const { metadata } = sandbox;
  const previews = sandbox.previews ?? none;
  const parent = { workspace, sandboxName: metadata.name };
  return (
    <Section
      title={`Previews (${previews.totalCount})`}
      aside={<CreateButton type="SandboxPreview" scope={parent} onCreated={onChange} />}
    >
      {previews.nodes.length === 0 ? (
        <p className="quiet">No previews yet.</p>
      ) : (
        <PlainTable columns={columns} label="Previews">
          {previews.nodes.map((preview) => {
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
                    reload={async () => readAgain(workspace, metadata.name, name)}
                    isProtected={preview.metadata.protected === true}
                    onDone={onChange}
                  >
                    The preview URL stops working. The sandbox is kept.
                  </PartMenu>
                </td>
              </tr>
            );
          })}
        </PlainTable>
      )}
      {previews.totalCount > previews.nodes.length && (
        <p className="quiet">Showing the first {previews.nodes.length} previews.</p>
      )}
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

type Previews = NonNullable<Sandbox['previews']>;
type Preview = Previews['nodes'][number];

/** The previews for a caller without the scope to read them. */
const none: Previews = { totalCount: 0, nodes: [] };

/** The URL is derived from the other fields. */
function editableOf({ version, metadata, spec: { url: _url, ...spec } }: Preview): Editable {
  return { version, document: documentOfPart({ metadata, spec }) };
}

async function readAgain(workspace: string, sandbox: string, preview: string): Promise<Editable | undefined> {
  const variables = { workspace, name: sandbox };
  const { data } = await client.query(sandboxQuery, variables, { requestPolicy: 'network-only' }).toPromise();
  const found = data?.resource?.previews?.nodes.find(({ metadata }) => metadata.name === preview);
  return found && editableOf(found);
}
