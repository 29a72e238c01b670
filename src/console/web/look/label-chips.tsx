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

/** The characters that fit into a column of a list. */
const charactersMax = 20;

/** The labels that fit into one line, at least one of them, and how many more there are. */
export function FewLabels({ labels }: { labels: readonly { key: string; value: string }[] }): ReactElement | null {
  const [first, ...others] = labels.map(({ key, value }) => `${key}:${value}`);
  if (first === undefined) return null;
  const shown = [first];
  for (const text of others) {
    if ([...shown, text].join('').length > charactersMax) break;
    shown.push(text);
  }
  const more = labels.length - shown.length;
  return (
    <span className="few-labels" title={[first, ...others].join('\n')}>
      {shown.map((text) => (
        <span key={text} className="label-chip cut">
          {text}
        </span>
      ))}
      {more > 0 && <span className="quiet">+{more}</span>}
    </span>
  );
}
