import type { ReactElement } from 'react';
import { plural } from '../look/amount.js';
import { formatMoney } from '../look/money.js';
import type { Bars, Bucket } from './bars.js';

const marksMax = 4;

interface BucketCardProps {
  bucket: Bucket | undefined;
  series: readonly Bars[];
  index: number;
  total: bigint;
  before: bigint | undefined;
  /** Texts of the changes in the bucket. */
  marks: readonly string[];
  isRunning: boolean;
  x: number;
  width: number;
}

/** The groups of a bucket, the most expensive first, with their total. */
export function BucketCard({
  bucket,
  series,
  index,
  total,
  before,
  marks,
  isRunning,
  x,
  width,
}: BucketCardProps): ReactElement {
  const lines = series
    .map(({ key, label, colour, nanos }) => ({ key, label, colour, nano: nanos[index] ?? 0n }))
    .filter(({ nano }) => nano !== 0n)
    .toSorted((one, other) => (one.nano < other.nano ? 1 : -1));
  return (
    <div className="bucket-card" role="status" style={x > width / 2 ? { right: width - x + 12 } : { left: x + 12 }}>
      <p className="quiet">
        {bucket?.title}
        {isRunning ? ', in progress' : ''}
      </p>
      <dl>
        {lines.map(({ key, label, colour, nano }) => (
          <div key={key}>
            <dt className="cut">
              <span className="swatch" style={{ background: colour }} />
              {label}
            </dt>
            <dd>{formatMoney(nano)}</dd>
          </div>
        ))}
        <div className="total">
          <dt>Total</dt>
          <dd>{formatMoney(total)}</dd>
        </div>
        {before !== undefined && (
          <div className="quiet">
            <dt>Previous period</dt>
            <dd>{formatMoney(before)}</dd>
          </div>
        )}
      </dl>
      {marks.length > 0 && (
        <ul>
          {marks.slice(0, marksMax).map((text, position) => (
            // Two changes can have the same text.
            <li key={position}>{text}</li>
          ))}
          {marks.length > marksMax && <li className="quiet">{plural(marks.length - marksMax, 'more change')}</li>}
        </ul>
      )}
    </div>
  );
}
