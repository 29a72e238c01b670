import type { ReactElement } from 'react';
import './label-chips.css';

/** Labels as chips: `team:freight`. */
export function LabelChips({ labels }: { labels: readonly { key: string; value: string }[] }): ReactElement {
  return (
    <ul className="label-chips">
      {labels.map(({ key, value }) => (
        <li key={key}>
          <span className="quiet">{key}:</span>
          {value}
        </li>
      ))}
    </ul>
  );
}
