import type { ReactElement } from 'react';
import { nanoFrom } from '../look/decimal.js';
import { capitalize, dimensionWord, wordOf } from '../look/labels.js';
import { Money } from '../look/money-text.js';
import { exactTime } from '../look/time.js';
import { Time } from '../look/time-text.js';
import type { UsageEvent } from './usage-query.js';

/** An event, with its corrections. */
export function UsageRow({ event }: { event: UsageEvent }): ReactElement {
  const { corrections } = event;
  const before = corrections.at(-1)?.before ?? undefined;
  return (
    <tr>
      <td>
        <time dateTime={event.time}>{exactTime(event.time)}</time>
      </td>
      <td>
        {event.resourceName}
        <div className="quiet">
          {wordOf(event.resourceType)} in {event.workspaceName}
          {event.resourceUuid !== null && <div className="mono cut">{event.resourceUuid}</div>}
        </div>
      </td>
      <td title={event.billingDimension}>{capitalize(dimensionWord(event.billingDimension))}</td>
      <td className="number">
        <Former is={before?.usage !== event.usage ? before?.usage : undefined} />
        {event.usage}
      </td>
      <td
        className="number"
        title={
          event.isPriceOfDimension
            ? 'The price of the dimension at that time'
            : 'The recorded cost divided by the quantity'
        }
      >
        {event.unitPrice === null ? '' : `${event.isPriceOfDimension ? '' : '≈ '}$${event.unitPrice}`}
      </td>
      <td className="number">
        {before !== undefined && before.cost !== event.cost && (
          <del className="quiet">
            <Money nano={nanoFrom(before.cost)} />
          </del>
        )}{' '}
        <Money nano={nanoFrom(event.cost)} />
      </td>
      <td>
        {event.source}
        <div className="quiet mono cut" title={event.eventId}>
          {event.eventId}
        </div>
      </td>
      <td>
        {capitalize(event.state.toLowerCase())}
        {corrections.map((correction) => (
          <div key={correction.correctedAt + correction.action} className="quiet">
            {capitalize(correction.action.toLowerCase())} <Time value={correction.correctedAt} />
            {correction.correctedBy !== null && ` by ${correction.correctedBy}`}
            {correction.reason !== null && `: ${correction.reason}`}
          </div>
        ))}
      </td>
      <td>
        <Time value={event.arrivedAt} />
      </td>
    </tr>
  );
}

function Former({ is }: { is: string | undefined }): ReactElement | null {
  return is === undefined ? null : <del className="quiet">{is} </del>;
}
