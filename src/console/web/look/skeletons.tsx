import type { ReactElement } from 'react';

/** Placeholders for lines that have not loaded yet. */
export function Skeletons(): ReactElement {
  return (
    <ul className="skeletons" aria-hidden="true">
      {[70, 55, 62, 48].map((width) => (
        <li key={width}>
          <span className="skeleton" style={{ width: `${width}%` }} />
        </li>
      ))}
    </ul>
  );
}
