import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Icon } from '../look/icon.js';
import { StateMark } from '../look/state-mark.js';
import { formatMs } from '../look/time.js';
import { Time } from '../look/time-text.js';
import { capitalize, wordOf } from '../look/labels.js';
import { DeliveryDetails } from './delivery-details.js';
import type { Delivery } from './webhook-queries.js';

const route = getRouteApi('/a/$account/webhooks/$id');

interface DeliveryRowProps {
  delivery: Delivery;
  webhook: string;
  account: string;
  isOpen: boolean;
}

/** A delivery in one row, with its details below when expanded. */
export function DeliveryRow({ delivery, webhook, account, isOpen }: DeliveryRowProps): ReactElement {
  const { open: _open, ...search } = route.useSearch();
  const { id, status, statusCode, latencyMs, attemptCount, createdAt } = delivery;
  const details = `delivery-${id}`;
  return (
    <tbody className={isOpen ? 'open' : ''}>
      <tr>
        <td className="delivery-state">
          <StateMark state={status} />
        </td>
        <td className="delivery-what">
          <Link
            to="/a/$account/webhooks/$id"
            params={{ account, id: webhook }}
            search={isOpen ? search : { ...search, open: id }}
            replace
            resetScroll={false}
            aria-expanded={isOpen}
            aria-controls={isOpen ? details : undefined}
          >
            <Icon name={isOpen ? 'down' : 'right'} />
            <What delivery={delivery} />
          </Link>
        </td>
        <td className="number delivery-code">
          {statusCode ?? (attemptCount === 0 ? '' : <span className="quiet">None</span>)}
        </td>
        <td className="number delivery-took">{latencyMs === null ? '' : formatMs(latencyMs)}</td>
        <td className="number delivery-tries">{attemptCount}</td>
        <td className="delivery-time">
          <Time value={createdAt} />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={6} id={details} className="delivery-details">
            <DeliveryDetails delivery={delivery} webhook={webhook} account={account} />
          </td>
        </tr>
      )}
    </tbody>
  );
}

function What({ delivery: { eventType, reason, change } }: { delivery: Delivery }): ReactElement {
  const words = eventType.split('.').map(wordOf).join(' ');
  return (
    <span>
      {reason === 'TEST' ? 'Test' : capitalize(words)}{' '}
      {change?.name != null && <span className="mono">{change.name}</span>}{' '}
      <span className="quiet">
        {reason === 'REDELIVERY' ? 'resent' : ''}
        {reason === 'CHANGE' && change?.workspaceName != null ? `in ${change.workspaceName}` : ''}
      </span>
    </span>
  );
}
