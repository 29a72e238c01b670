import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { useAnswer, useLastAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { useBilled } from '../costs/use-billed.js';
import { useRefresh } from '../api/use-refresh.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { plural } from '../look/amount.js';
import { nanoFrom } from '../look/decimal.js';
import { useIsNarrow } from '../look/filter-bar.js';
import { capitalize } from '../look/labels.js';
import { ListCount } from '../look/list-count.js';
import { Money } from '../look/money-text.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { PlainTable } from '../look/plain-table.js';
import { RowMenu } from '../look/row-menu.js';
import { Skeletons } from '../look/skeletons.js';
import { exactTime } from '../look/time.js';
import { CorrectUsage } from './correct-usage.js';
import { UsageFilters } from './usage-filters.js';
import { UsageRow } from './usage-row.js';
import { labelFilterOf } from '../lists/label-filter.js';
import { usageEventsQuery } from './usage-query.js';
import type { UsageEventFilter, UsageEvents } from './usage-query.js';
import { states } from './usage-search.js';
import type { UsageSearch } from './usage-search.js';
import '../look/plain-table.css';
import './usage-view.css';

const route = getRouteApi('/a/$account/usage');

/** The usage events behind the costs of an account, the newest first. */
export function UsageView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  return account === undefined ? <NoAccount name={name} /> : <Usage key={account.id} account={account} />;
}

const columns = [
  'Resource',
  'Time',
  'Workspace',
  'Dimension',
  { label: 'Quantity', isNumber: true },
  { label: 'Price', isNumber: true },
  { label: 'Cost', isNumber: true },
  'Source',
  'State',
];

function Usage({ account }: { account: ViewerAccount }): ReactElement {
  const search = route.useSearch();
  const navigate = useNavigate();
  const [{ data, error }, again] = useAnswer({
    query: usageEventsQuery,
    variables: {
      account: account.id,
      ...filterOf(search),
      ...(search.label === undefined ? {} : { labels: search.label.map(labelFilterOf) }),
      ...(search.after === undefined ? {} : { after: search.after }),
    },
  });
  useRefresh(() => again({ requestPolicy: 'network-only' }));
  const canCorrect = account.viewerRole === 'ADMIN';
  // Here and not in its row, which newer events can move to the next page while the dialog is open.
  const [corrected, setCorrected] = useState<Correction>();
  // The API corrects by all filters but labels.
  const canCorrectAll = canCorrect && search.label === undefined;
  const isNarrow = useIsNarrow();
  const answered = data?.account?.usageEvents;
  const { shown, isOld } = useLastAnswer(answered == null ? undefined : { page: answered, search }, error);
  const page = isOld ? undefined : shown?.page;
  const here = { to: '/a/$account/usage', params: { account: account.name } } as const;
  const { after: _after, ...filters } = search;
  const usageFilters = (
    <UsageFilters
      search={filters}
      account={account}
      shown={page?.nodes ?? []}
      onChange={(next) => void navigate({ ...here, search: next, replace: true })}
    />
  );
  return (
    <div className="view usage-events">
      <div className="view-bar">
        <h1>Usage events</h1>
        <ListCount
          of="events"
          text={
            page && (
              <>
                {plural(page.filteredCount, 'event')}, <Money nano={nanoFrom(page.totalCost)} />
              </>
            )
          }
          error={error}
        />
        {isNarrow && usageFilters}
        <span className="usage-actions">
          <Link to="/a/$account/costs" params={{ account: account.name }} search={costsOf(search)} className="button">
            View costs
          </Link>
          {canCorrectAll && page !== undefined && page.filteredCount > 0 && (
            <RowMenu
              label="More actions"
              actions={(['amend', 'void'] as const).map((action) => ({
                label: `${capitalize(action)} matching events…`,
                isDestructive: action === 'void',
                dialog: (control) => (
                  <CorrectUsage control={control} account={account.name} filter={filterOf(search)} action={action} />
                ),
              }))}
            />
          )}
        </span>
      </div>
      {!isNarrow && <div className="usage-filters">{usageFilters}</div>}
      {shown !== undefined ? (
        <Older isOld={isOld}>
          <EventsPage {...shown} account={account} onCorrect={canCorrect ? setCorrected : undefined} />
        </Older>
      ) : error !== undefined ? (
        <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })}>
          {search.after !== undefined && (
            <Link {...here} search={filters} className="button">
              Newest
            </Link>
          )}
        </FailureNotice>
      ) : (
        <Skeletons />
      )}
      {corrected !== undefined && (
        <CorrectUsage
          {...corrected}
          account={account.name}
          control={{ isOpen: true, onOpenChange: () => setCorrected(undefined) }}
        />
      )}
    </div>
  );
}

/** The correction of one event. */
interface Correction {
  filter: UsageEventFilter;
  action: 'void' | 'amend';
}

interface EventsPageProps {
  page: UsageEvents;
  search: UsageSearch;
  account: ViewerAccount;
  /** Opens the dialog of a correction; undefined if the user may not correct. */
  onCorrect: ((correction: Correction) => void) | undefined;
}

/** The events of a page, with links to the other pages of its question. */
function EventsPage({ page, search, account, onCorrect }: EventsPageProps): ReactElement {
  const here = { to: '/a/$account/usage', params: { account: account.name } } as const;
  const { after, ...filters } = search;
  const { dimensions } = useBilled(account.id);
  return (
    <>
      {page.keptFrom !== null && (search.from ?? '') < page.keptFrom && (
        <Notice title={`Events before ${exactTime(page.keptFrom)} were dropped`}>
          Costs still include them. Events of that time can no longer be listed or corrected.
        </Notice>
      )}
      {page.nodes.length === 0 ? (
        <Notice title="No usage events match">
          <Link {...here} search={{}} className="text-link">
            Show all events
          </Link>
        </Notice>
      ) : (
        <PlainTable columns={columns} rows={page.nodes}>
          {(event) => (
            <UsageRow
              key={JSON.stringify([event.source, event.eventId])}
              event={event}
              onCorrect={
                onCorrect &&
                ((action) => onCorrect({ filter: { source: event.source, eventId: event.eventId }, action }))
              }
              unit={dimensions.get(event.billingDimension)?.unit}
            />
          )}
        </PlainTable>
      )}
      <p className="table-pages">
        {after !== undefined && (
          <Link {...here} search={filters} className="button">
            Newest
          </Link>
        )}
        {page.pageInfo.hasNextPage && page.pageInfo.endCursor !== null && (
          <Link {...here} search={{ ...filters, after: page.pageInfo.endCursor }} className="button">
            Older
          </Link>
        )}
      </p>
    </>
  );
}

/** The filters of the URL but labels, by the names of the API. */
function filterOf(search: UsageSearch): UsageEventFilter {
  const filter = {
    startTime: search.from,
    endTime: search.to,
    workspace: search.workspace,
    resourceType: search.type,
    resourceName: search.name,
    resourceUuid: search.uuid,
    billingDimension: search.dimension,
    source: search.source,
    eventId: search.event,
    state: search.is && states[search.is].value,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The same period and filters in the costs view. */
function costsOf({ from, to, workspace, type, name, dimension, label }: UsageSearch) {
  const filters = { from, to, workspace, type, name, dimension, label };
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
