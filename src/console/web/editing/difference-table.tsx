import type { ReactElement } from 'react';
import { yamlOf } from '../resources/spec-text.js';
import type { Plain } from '../resources/spec-text.js';
import type { Difference } from './patch.js';

/** What changes, field by field: what it was, and what it becomes. */
export function DifferenceTable({ differences }: { differences: readonly Difference[] }): ReactElement {
  if (differences.length === 0) return <p className="quiet">Nothing is changed.</p>;
  return (
    <div className="table-space difference" tabIndex={0} role="region" aria-label="What changes">
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Was</th>
            <th scope="col">Becomes</th>
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
  if (value === undefined) return <span className="quiet">not set</span>;
  return <pre>{typeof value === 'object' ? yamlOf(value).trimEnd() : String(value)}</pre>;
}
