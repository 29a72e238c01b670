import type { ReactElement, ReactNode } from 'react';

interface PlainTableProps {
  /** The headings; the last column has actions and only a heading for screen readers. */
  columns: readonly string[];
  /** Rows with a cell for each column and one for the actions. */
  children: ReactNode;
}

/** A table whose rows take several lines on a narrow screen. Cells repeat their heading there by `data-label`. */
export function PlainTable({ columns, children }: PlainTableProps): ReactElement {
  return (
    <div className="table-space">
      <table className="plain-table two-lines">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            <th scope="col">
              <span className="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
