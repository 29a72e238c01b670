import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { DeleteButton } from '../editing/delete-button.js';
import { documentOfPart } from '../editing/document-of.js';
import { EditButton } from '../editing/edit-button.js';
import type { Editable } from '../editing/edit-dialog.js';
import { MakeButton } from '../editing/make-button.js';
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

/** The ports of a sandbox that have an address of their own. */
export function PreviewTable({ sandbox, workspace, onChange }: PreviewTableProps): ReactElement {
  const { previews, metadata } = sandbox;
  const place = { workspace, sandboxName: metadata.name };
  return (
    <Section
      title={`Previews (${previews.totalCount})`}
      aside={<MakeButton type="SandboxPreview" place={place} onMade={onChange} />}
    >
      {previews.nodes.length === 0 ? (
        <p className="quiet">A preview gives a port of the sandbox an address.</p>
      ) : (
        <div className="table-space">
          <table className="plain-table two-lines">
            <thead>
              <tr>
                <th scope="col">Preview</th>
                <th scope="col" className="number">
                  Port
                </th>
                <th scope="col">Open to</th>
                <th scope="col">Ends</th>
                <th scope="col">
                  <span className="hidden">Edit, delete</span>
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
                      <span className="mono">{name}</span> {displayName !== null && <span>{displayName}</span>}
                      <br />
                      <span className="quiet">{spec.customDomain ?? spec.url}</span>
                    </td>
                    <td className="number" data-label="port">
                      {spec.port}
                    </td>
                    <td data-label="open to">{spec.public === true ? 'everybody' : 'who has a token'}</td>
                    <td data-label="ends">{spec.expires === null ? 'never' : <Time value={spec.expires} />}</td>
                    <td>
                      <span className="row-doings">
                        <EditButton
                          which={{ type: 'SandboxPreview', place, name }}
                          resource={editableOf(preview)}
                          reload={async () => readAgain(workspace, metadata.name, name)}
                          onDone={onChange}
                        />
                        <DeleteButton
                          which={{ type: 'SandboxPreview', place, name, version: undefined }}
                          onDone={onChange}
                        >
                          Its address answers no more. The sandbox stays.
                        </DeleteButton>
                      </span>
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {previews.totalCount > previews.nodes.length && <p className="quiet">The first {previews.nodes.length}.</p>}
    </Section>
  );
}

type Preview = Sandbox['previews']['nodes'][number];

/** Its address follows from the rest. */
function editableOf({ version, metadata, spec: { url: _url, ...spec } }: Preview): Editable {
  return { version, document: documentOfPart({ metadata, spec }) };
}

async function readAgain(workspace: string, sandbox: string, preview: string): Promise<Editable | undefined> {
  const variables = { workspace, name: sandbox };
  const { data } = await client.query(sandboxQuery, variables, { requestPolicy: 'network-only' }).toPromise();
  const found = data?.resource?.previews.nodes.find(({ metadata }) => metadata.name === preview);
  return found && editableOf(found);
}
