import type { ReactElement } from 'react';
import { toneOf } from '../look/state.js';
import type { Delivery } from './webhook-queries.js';

/** The last deliveries, a stroke for each, the newest at the right: what was not taken is taller, and said in words. */
export function Lately({ deliveries }: { deliveries: readonly Pick<Delivery, 'id' | 'status'>[] }): ReactElement {
  const taken = deliveries.filter(({ status }) => status === 'DELIVERED').length;
  const waiting = deliveries.filter(({ status }) => status === 'WAITING').length;
  const failed = deliveries.filter(({ status }) => status === 'FAILED').length;
  const rest = [waiting === 0 ? '' : `${waiting} waiting`, failed === 0 ? '' : `${failed} failed`].filter(Boolean);
  const text = [`${taken} of the last ${deliveries.length} taken`, ...rest].join(', ');
  return (
    <span className="lately" role="img" aria-label={text} title={text}>
      {deliveries.toReversed().map(({ id, status }) => (
        <i key={id} className={toneOf(status)} />
      ))}
    </span>
  );
}
