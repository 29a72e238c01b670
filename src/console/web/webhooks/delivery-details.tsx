import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { client } from '../api/client.js';
import { problemOf } from '../api/failure.js';
import { CopyButton } from '../look/copy-button.js';
import { formatMs } from '../look/time.js';
import { Time, useNow } from '../look/time-text.js';
import { Fact } from '../resources/section.js';
import { redeliverMutation } from './webhook-mutations.js';
import type { Delivery } from './webhook-queries.js';
import { Problems } from '../look/problems.js';
import { BusyButton } from '../look/busy-button.js';

interface DeliveryDetailsProps {
  delivery: Delivery;
  webhook: string;
  account: string;
}

/** The attempts of a delivery with their responses, the change, and a button to resend it. */
export function DeliveryDetails({ delivery, webhook, account }: DeliveryDetailsProps): ReactElement {
  const { id, eventId, status, attempts, nextAttemptAt, requestedBy, change } = delivery;
  const navigate = useNavigate();
  const now = useNow();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const again = async () => {
    setBusy(true);
    const { data, error } = await client.mutation(redeliverMutation, { id }).toPromise();
    const result = data?.result;
    setBusy(false);
    if (result?.__typename !== 'RedeliverWebhookDeliveryPayload') return setProblem(problemOf(result, error));
    setProblem(undefined);
    const search = { open: result.delivery.id };
    return navigate({ to: '/a/$account/webhooks/$id', params: { account, id: webhook }, search });
  };
  return (
    <>
      <dl className="facts">
        {change !== null && (
          <Fact name="Change">
            <span>
              {change.message ?? 'A change'}
              {change.fields.length > 0 && <span className="mono quiet"> {change.fields.join(', ')}</span>}
            </span>
          </Fact>
        )}
        <Fact name="Event ID">
          <span className="mono">{eventId}</span>
          <CopyButton text={eventId} label="Copy event ID" />
        </Fact>
        {requestedBy !== null && <Fact name="Requested by">{requestedBy}</Fact>}
        {nextAttemptAt !== null && (
          <Fact name="Next attempt">{Date.parse(nextAttemptAt) > now ? <Time value={nextAttemptAt} /> : 'Queued'}</Fact>
        )}
      </dl>
      {attempts.length === 0 ? (
        <p className="quiet">No attempts yet.</p>
      ) : (
        <ol className="attempts" aria-label="Attempts, latest first">
          {attempts.toReversed().map(({ number, time, statusCode, latencyMs, responseBody, error }) => (
            <li key={number}>
              <span className="quiet">{number}</span>
              <span>
                <strong className={error === null ? 'attempt-code' : 'attempt-code failed'}>
                  {statusCode ?? 'No response'}
                </strong>{' '}
                <span className="quiet">
                  <Time value={time} />, after {formatMs(latencyMs)}
                </span>
                {error !== null && <span className="attempt-why">{error}</span>}
                {responseBody !== null && responseBody !== '' && <pre>{responseBody}</pre>}
              </span>
            </li>
          ))}
        </ol>
      )}
      <Problems text={problem} />
      {status !== 'WAITING' && (
        <BusyButton className="button" isBusy={isBusy} onClick={() => void again()}>
          Resend
        </BusyButton>
      )}
    </>
  );
}
