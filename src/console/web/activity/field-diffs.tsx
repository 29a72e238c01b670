import type { ReactElement } from 'react';
import { lineDiff } from '../look/line-diff.js';
import type { DiffLine } from '../look/line-diff.js';
import { plainFrom, yamlOf } from '../resources/spec-text.js';
import { valueAt } from './value-at.js';
import './field-diffs.css';

interface FieldDiffsProps {
  fields: readonly string[];
  before: unknown;
  after: unknown;
}

/** The removed and added lines of each field. */
export function FieldDiffs({ fields, before, after }: FieldDiffsProps): ReactElement {
  return (
    <ul className="field-diffs">
      {fields.map((path) => (
        <li key={path}>
          <h3 className="mono">{path}</h3>
          <Lines lines={lineDiff(linesOf(valueAt(before, path)), linesOf(valueAt(after, path)))} />
        </li>
      ))}
    </ul>
  );
}

const words = { '-': 'Removed: ', '+': 'Added: ', ' ': '' };

function Lines({ lines }: { lines: readonly DiffLine[] }): ReactElement {
  if (lines.every(({ sign }) => sign === ' ')) return <p className="quiet">Changed. The value is secret.</p>;
  return (
    <div className="diff mono" tabIndex={0} role="group" aria-label="Difference">
      {lines.map(({ sign, text }, index) => (
        <div key={index} className={sign === '-' ? 'gone' : sign === '+' ? 'come' : ''}>
          <span aria-hidden="true">{sign}</span>
          <span className="hidden">{words[sign]}</span>
          {text}
        </div>
      ))}
    </div>
  );
}

function linesOf(value: unknown): string[] {
  const plain = plainFrom(value);
  return plain === undefined ? [] : yamlOf(plain).trimEnd().split('\n');
}
