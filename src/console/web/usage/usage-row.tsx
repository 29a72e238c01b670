import type { ReactElement } from 'react';
import { CopyButton } from '../look/copy-button.js';
import { nanoFrom } from '../look/decimal.js';
import { capitalize, dimensionWord, wordOf } from '../look/labels.js';
import { numberFormat } from '../look/locale.js';
import { formatAboutPrice } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { RowMenu } from '../look/row-menu.js';
import { Time } from '../look/time-text.js';
import { CorrectUsage } from './correct-usage.js';
import type { UsageEvent } from './usage-query.js';

interface UsageRowProps {
  event: UsageEvent;
  /** The name of the account. */
  account: string;
  canCorrect: boolean;
}

/** An event, with its corrections. */
export function UsageRow({ event, account, canCorrect }: UsageRowProps): ReactElement {
  const { corrections, source, eventId } = event;
  const before = corrections.at(-1)?.before ?? undefined;
  const filter = { source, eventId };
  return (
    <tr>
      <td className="usage-time">
        <Time value={event.time} />
        <div className="quiet">
          Arrived <Time value={event.arrivedAt} />
        </div>
      </td>
      <td className="whole">
        <span className="usage-resource">
          {event.resourceName}
          {event.resourceUuid !== null && <CopyButton text={event.resourceUuid} label="Copy UUID" />}
        </span>
        <div className="quiet">
          {wordOf(event.resourceType)} in {event.workspaceName}
        </div>
      </td>
      <td title={event.billingDimension}>{capitalize(dimensionWord(event.billingDimension))}</td>
      <td className="number" data-label="Quantity">
        <Former is={before?.usage !== event.usage ? before?.usage : undefined} />
        <Quantity is={event.usage} />
      </td>
      <td
        className="number"
        data-label="Price"
        title={
          event.isPriceOfDimension
            ? 'The price of the dimension at that time'
            : `The recorded cost divided by the quantity: ${event.unitPrice ?? ''}`
        }
      >
        {event.unitPrice !== null &&
          (event.isPriceOfDimension ? `$${event.unitPrice}` : formatAboutPrice(event.unitPrice))}
      </td>
      <td className="number" data-label="Cost">
        {before !== undefined && before.cost !== event.cost && (
          <del className="quiet">
            <Money nano={nanoFrom(before.cost)} />
          </del>
        )}{' '}
        <Money nano={nanoFrom(event.cost)} />
      </td>
      <td title={eventId}>
        <span className="usage-resource">
          {source}
          <CopyButton text={eventId} label="Copy event ID" />
        </span>
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
        {canCorrect && event.state !== 'VOIDED' && (
          <RowMenu
            label={`Actions of event ${eventId}`}
            actions={[
              {
                label: 'Amend…',
                dialog: (control) => (
                  <CorrectUsage control={control} account={account} filter={filter} action="amend" />
                ),
              },
              {
                label: 'Void…',
                isDestructive: true,
                dialog: (control) => <CorrectUsage control={control} account={account} filter={filter} action="void" />,
              },
            ]}
          />
        )}
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
