import type { ReactElement } from 'react';
import { toneOf } from '../look/state.js';
import type { Delivery } from './webhook-queries.js';

/** The latest deliveries as bars, the newest at the right. Undelivered ones are taller. The counts are in the label. */
export function RecentDeliveries({
  deliveries,
}: {
  deliveries: readonly Pick<Delivery, 'id' | 'status'>[];
}): ReactElement {
  const delivered = deliveries.filter(({ status }) => status === 'DELIVERED').length;
  const waiting = deliveries.filter(({ status }) => status === 'WAITING').length;
  const failed = deliveries.filter(({ status }) => status === 'FAILED').length;
  const rest = [waiting === 0 ? '' : `${waiting} waiting`, failed === 0 ? '' : `${failed} failed`].filter(Boolean);
  const text = [`${delivered} of the last ${deliveries.length} delivered`, ...rest].join(', ');
  return (
    <span className="lately" role="img" aria-label={text} title={text}>
      {deliveries.toReversed().map(({ id, status }) => (
        <i key={id} className={toneOf(status)} />
      ))}
    </span>
  );
}
