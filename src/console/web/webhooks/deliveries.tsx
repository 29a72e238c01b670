import { Link, getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { useAnswer, useLastAnswer } from '../api/use-answer.js';
import { usePolling } from '../api/use-polling.js';
import { FailureNotice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { Skeletons } from '../look/skeletons.js';
import { ToneIcon } from '../look/state-mark.js';
import { lookOf } from '../look/state.js';
import { Section } from '../resources/section.js';
import { DeliveryRow } from './delivery-row.js';
import { deliveriesQuery } from './webhook-queries.js';
import type { DeliveriesPage } from './webhook-queries.js';
import { deliveryStates, deliveryStateWords } from './webhooks-search.js';
import type { DeliveryStateWord } from './webhooks-search.js';
import '../lists/list-view.css';

const route = getRouteApi('/a/$account/webhooks/$id');
const soonMs = 2_000;
const restMs = 10_000;

interface DeliveriesProps {
  id: string;
  account: string;
}

/** The deliveries of a webhook with their results, the newest first. */
export function Deliveries({ id, account }: DeliveriesProps): ReactElement {
  const { status, after, open } = route.useSearch();
  const variables = {
    id,
    ...(status === undefined ? {} : { status: deliveryStates[status] }),
    ...(after === undefined ? {} : { after }),
  };
  const [{ data, error }, again] = useAnswer({ query: deliveriesQuery, variables });
  const found = data?.node?.__typename === 'Webhook' ? data.node : undefined;
  const answered = found?.deliveries;
  const { shown, isOld } = useLastAnswer(
    answered == null ? undefined : { webhook: found, deliveries: answered, status, after },
    error,
  );
  const deliveries = isOld ? undefined : shown?.deliveries;
  const isMoving = deliveries?.nodes.some((each) => each.status === 'WAITING') ?? false;
  const isMissing = open !== undefined && !(deliveries?.nodes.some((each) => each.id === open) ?? true);
  usePolling(again, isMoving || isMissing ? soonMs : restMs);
  useEffect(() => {
    // A delivery that was just requested is at the top of the newest page.
    if (isMissing && after === undefined) again({ requestPolicy: 'network-only' });
  }, [isMissing, after, again]);
  const here = { to: '/a/$account/webhooks/$id', params: { account, id } } as const;
  return (
    <Section
      title="Deliveries"
      aside={
        <ul className="tone-filter" aria-label="Delivery states">
          {deliveryStateWords.map((word) => {
            const look = lookOf(deliveryStates[word]);
            return (
              <li key={word}>
                <Link
                  {...here}
                  search={status === word ? {} : { status: word }}
                  replace
                  className={`button ${status === word ? 'on' : 'bare'}`}
                  title={status === word ? 'Remove filter' : `Filter by ${look.word}`}
                >
                  <ToneIcon tone={look.tone} />
                  {shown?.webhook?.[word]?.filteredCount ?? ''} {look.word}
                </Link>
              </li>
            );
          })}
        </ul>
      }
    >
      {shown !== undefined ? (
        <Older isOld={isOld}>
          <DeliveryPage {...shown} webhook={id} account={account} open={open} />
        </Older>
      ) : error !== undefined ? (
        <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })}>
          {after !== undefined && (
            <Link {...here} search={status === undefined ? {} : { status }} className="button">
              Newest
            </Link>
          )}
        </FailureNotice>
      ) : (
        <Skeletons />
      )}
    </Section>
  );
}

interface DeliveryPageProps {
  deliveries: DeliveriesPage;
  status: DeliveryStateWord | undefined;
  after: string | undefined;
  webhook: string;
  account: string;
  open: string | undefined;
}

/** The deliveries of a page, with links to the other pages of its question. */
function DeliveryPage({ deliveries, status, after, webhook, account, open }: DeliveryPageProps): ReactElement {
  const here = { to: '/a/$account/webhooks/$id', params: { account, id: webhook } } as const;
  return (
    <>
      {deliveries.nodes.length === 0 ? (
        <p className="quiet">
          {status === undefined ? (
            'No deliveries yet. Send a test delivery to check the endpoint.'
          ) : (
            <>
              None of the {deliveries.totalCount} deliveries match this filter.{' '}
              <Link {...here} search={{}} className="text-link">
                Clear filter
              </Link>
            </>
          )}
        </p>
      ) : (
        <table className="plain-table delivery-table">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Event</th>
              <th scope="col" className="number">
                Response
              </th>
              <th scope="col" className="number">
                Duration
              </th>
              <th scope="col" className="number">
                Attempts
              </th>
              <th scope="col">Created</th>
            </tr>
          </thead>
          {deliveries.nodes.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              webhook={webhook}
              account={account}
              isOpen={open === delivery.id}
            />
          ))}
        </table>
      )}
      <p className="table-pages">
        {after !== undefined && (
          <Link {...here} search={status === undefined ? {} : { status }} className="button">
            Newest
          </Link>
        )}
        {deliveries.pageInfo.hasNextPage && deliveries.pageInfo.endCursor !== null && (
          <Link
            {...here}
            search={{ ...(status === undefined ? {} : { status }), after: deliveries.pageInfo.endCursor }}
            className="button"
          >
            Older
          </Link>
        )}
      </p>
    </>
  );
}
