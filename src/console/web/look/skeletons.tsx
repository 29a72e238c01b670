import type { ReactElement } from 'react';

/** Where lines will stand, while nothing was ever shown. */
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
