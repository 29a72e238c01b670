import type { ReactElement } from 'react';
import { yamlOf } from '../resources/spec-text.js';
import type { Plain } from '../resources/spec-text.js';
import type { Difference } from './patch.js';

/** The changed fields with their old and new values. */
export function DifferenceTable({ differences }: { differences: readonly Difference[] }): ReactElement {
  if (differences.length === 0) return <p className="quiet">No changes.</p>;
  return (
    <div className="table-space difference" tabIndex={0} role="region" aria-label="Changes">
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(({ path, before, after }) => (
            <tr key={path}>
              <th scope="row" className="mono">
                {path}
              </th>
              <td>
                <Value value={before} />
              </td>
              <td>
                <Value value={after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function Value({ value }: { value: Plain | undefined }): ReactElement {
  if (value === undefined) return <span className="quiet">Not set</span>;
  return <pre>{typeof value === 'object' ? yamlOf(value).trimEnd() : String(value)}</pre>;
}
