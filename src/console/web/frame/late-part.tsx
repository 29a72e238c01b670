import type { ReactElement } from 'react';
import { responseSecondsMax } from '../api/fetch-in-time.js';

/** Says that a part of the console was requested without a response. */
export function LatePart(): ReactElement {
  return (
    <div className="banner" role="status">
      <p>A part of the console did not load within {responseSecondsMax} seconds.</p>
      <button type="button" className="button" onClick={() => location.reload()}>
        Reload
      </button>
    </div>
  );
}
