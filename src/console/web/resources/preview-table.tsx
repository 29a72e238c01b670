import type { ReactElement } from 'react';
import { DeleteButton } from '../editing/delete-button.js';
import { MakeButton } from '../editing/make-button.js';
import { Time } from '../look/time-text.js';
import type { Sandbox } from './resource-queries.js';
import { Section } from './section.js';

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
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">Preview</th>
                <th scope="col" className="number">
                  Port
                </th>
                <th scope="col">Open to</th>
                <th scope="col">Ends</th>
                <th scope="col">
                  <span className="hidden">Delete</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {previews.nodes.map(({ id, metadata: { name }, spec }) => (
                <tr key={id}>
                  <td className="wrap">
                    <span className="mono">{name}</span>
                    <br />
                    <span className="quiet">{spec.customDomain ?? spec.url}</span>
                  </td>
                  <td className="number">{spec.port}</td>
                  <td>{spec.public === true ? 'everybody' : 'who has a token'}</td>
                  <td>{spec.expires === null ? 'never' : <Time value={spec.expires} />}</td>
                  <td>
                    <DeleteButton which={{ type: 'SandboxPreview', place, name, version: undefined }} onDone={onChange}>
                      Its address answers no more. The sandbox stays.
                    </DeleteButton>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {previews.totalCount > previews.nodes.length && <p className="quiet">The first {previews.nodes.length}.</p>}
    </Section>
  );
}
