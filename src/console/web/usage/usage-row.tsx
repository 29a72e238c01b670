import type { ReactElement } from 'react';
import { nanoFrom } from '../look/decimal.js';
import { capitalize, dimensionWord, wordOf } from '../look/labels.js';
import { numberFormat } from '../look/locale.js';
import { formatAboutPrice, formatPrice } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { RowMenu } from '../look/row-menu.js';
import type { RowAction } from '../look/row-menu.js';
import { Time } from '../look/time-text.js';
import { exactTime } from '../look/time.js';
import { oneOf, unitText } from '../costs/use-billed.js';
import type { UsageEvent } from './usage-query.js';

interface UsageRowProps {
  event: UsageEvent;
  /** Opens the dialog of a correction; undefined if the user may not correct. */
  onCorrect: ((action: 'void' | 'amend') => void) | undefined;
  /** The unit of the billing dimension; undefined while unknown. */
  unit: string | undefined;
}

/** An event, with its corrections. */
export function UsageRow({ event, onCorrect, unit }: UsageRowProps): ReactElement {
  const { corrections, source, eventId } = event;
  const before = corrections.at(-1)?.before ?? undefined;
  const correctActions = (['amend', 'void'] as const).map((action) => ({
    label: `${capitalize(action)}…`,
    isDestructive: action === 'void',
    run: () => onCorrect?.(action),
  }));
  return (
    <tr>
      <td>
        <span className="usage-resource mono cut" title={`${event.resourceName} (${wordOf(event.resourceType)})`}>
          {event.resourceName}
        </span>
      </td>
      <td className="nowrap" title={`${exactTime(event.time)}. Arrived ${exactTime(event.arrivedAt)}`}>
        <Time value={event.time} isAbsolute />
      </td>
      <td className="quiet nowrap">{event.workspaceName}</td>
      <td className="nowrap" title={event.billingDimension}>
        {capitalize(dimensionWord(event.billingDimension))}
      </td>
      <td className="number" data-label="Quantity">
        <Former is={before?.usage !== event.usage ? before?.usage : undefined} />
        <Quantity is={event.usage} /> <span className="quiet">{unitText(unit)}</span>
      </td>
      <td
        className="number"
        data-label="Price"
        title={
          event.isPriceOfDimension
            ? `The price of the dimension at that time, per ${oneOf(unit ?? '')}`
            : `The recorded cost divided by the quantity: ${event.unitPrice ?? ''}`
        }
      >
        {event.unitPrice !== null &&
          (event.isPriceOfDimension ? formatPrice(event.unitPrice) : formatAboutPrice(event.unitPrice))}
      </td>
      <td className="number" data-label="Cost">
        {before !== undefined && before.cost !== event.cost && (
          <del className="quiet">
            <Money nano={nanoFrom(before.cost)} isFine />
          </del>
        )}{' '}
        <Money nano={nanoFrom(event.cost)} isFine />
      </td>
      <td title={`Event ${eventId}`} data-label="Source" className="nowrap">
        {source}
      </td>
      <td className="usage-state">
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
        <RowMenu
          label={`Actions of event ${eventId}`}
          actions={[
            { label: 'Copy event ID', run: () => void navigator.clipboard.writeText(eventId) },
            ...(event.resourceUuid === null ? [] : [copyUuid(event.resourceUuid)]),
            ...(onCorrect !== undefined && event.state !== 'VOIDED' ? correctActions : []),
          ]}
        />
      </td>
    </tr>
  );
}

const numbers = numberFormat({ maximumFractionDigits: 3 });

/** A quantity in thousands, with all its digits on hover. */
function Quantity({ is }: { is: string }): ReactElement {
  return <span title={is}>{numbers.format(Number(is))}</span>;
}

function Former({ is }: { is: string | undefined }): ReactElement | null {
  return is === undefined ? null : (
    <del className="quiet">
      <Quantity is={is} />{' '}
    </del>
  );
}

function copyUuid(uuid: string): RowAction {
  return { label: 'Copy resource UUID', run: () => void navigator.clipboard.writeText(uuid) };
}
