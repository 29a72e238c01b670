import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { PartMenu } from '../editing/part-menu.js';
import { ProtectedMark } from '../editing/protected.js';
import { documentOfPart } from '../editing/document-of.js';
import type { Editable } from '../editing/edit-dialog.js';
import { CreateButton } from '../editing/create-button.js';
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
        <div className="table-space">
          <table className="plain-table two-lines">
            <thead>
              <tr>
                <th scope="col">Preview</th>
                <th scope="col" className="number">
                  Port
                </th>
                <th scope="col">Access</th>
                <th scope="col">Expires</th>
                <th scope="col">
                  <span className="hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {previews.nodes.map((preview) => {
                const {
                  id,
                  metadata: { name, displayName },
                  spec,
                } = preview;
                return (
                  <tr key={id}>
                    <td className="wrap">
                      <span className="mono">{name}</span> {displayName !== null && <span>{displayName}</span>}{' '}
                      {preview.metadata.protected === true && <ProtectedMark />}
                      <br />
                      <span className="quiet">{spec.customDomain ?? spec.url}</span>
                    </td>
                    <td className="number" data-label="port">
                      {spec.port}
                    </td>
                    <td data-label="access">{spec.public === true ? 'Public' : 'Token required'}</td>
                    <td data-label="expires">{spec.expires === null ? 'Never' : <Time value={spec.expires} />}</td>
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
            </tbody>
          </table>
        </div>
      )}
      {previews.totalCount > previews.nodes.length && (
        <p className="quiet">Showing the first {previews.nodes.length} previews.</p>
      )}
    </Section>
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
