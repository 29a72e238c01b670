import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { usePolling } from '../api/use-polling.js';
import { titleOf, useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { countsFrom, holdings } from '../kinds/holdings.js';
import type { Kind } from '../kinds/kinds.js';
import { plural } from '../look/amount.js';
import { FurtherPages } from '../look/further-pages.js';
import { formatPercent } from '../look/locale.js';
import { formatCount } from '../look/money.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Older } from '../look/older.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { Skeletons } from '../look/skeletons.js';
import { ListCount } from '../look/list-count.js';
import { labels, percentOf, quotaFields, usedText } from './limits.js';
import type { Limit } from './limits.js';
import { RaiseQuota } from './raise-quota.js';
import '../look/plain-table.css';
import './quotas.css';

const quotasQuery = graphql(
  `
    query Quotas($account: ID!, $after: String) {
      account(id: $account) {
        id
        quotas {
          ...QuotaFields
        }
        regionQuotas {
          ...QuotaFields
        }
        workspaces(first: 50, after: $after, orderBy: { field: NAME, direction: ASC }) {
          totalCount
          pageInfo {
            hasNextPage
            endCursor
          }
          nodes {
            id
            name
            displayName
            quotas {
              ...QuotaFields
            }
            ...Holdings
          }
        }
      }
    }
  `,
  [quotaFields, holdings],
);

const route = getRouteApi('/a/$account/quotas');
const pollMs = 30_000;

/** The limits of an account, its regions and its workspaces, with their use. */
export function QuotasView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  return account === undefined ? <NoAccount name={name} /> : <Quotas key={account.id} account={account} />;
}

function Quotas({ account }: { account: ViewerAccount }): ReactElement {
  const variables = { account: account.id };
  const [{ data, error }, again] = useAnswer({ query: quotasQuery, variables });
  const found = data?.account ?? undefined;
  const all = useAllNodes(found?.workspaces, {
    query: quotasQuery,
    variables,
    pageOf: (answer) => answer.account?.workspaces,
  });
  // Many workspaces are read once, because each time would read all pages.
  usePolling(again, found?.workspaces?.pageInfo.hasNextPage === true ? undefined : pollMs);
  const refresh = () => again({ requestPolicy: 'network-only' });
  const workspaces = all?.nodes ?? [];
  const limits = found === undefined ? [] : limitsOf(found, workspaces);
  const { rows, headings, filterField, noMatch } = useTableRows(limits, columns, ({ scope, resource }) => {
    return `${scope} ${labels[resource]}`;
  });
  if (found === undefined) {
    return (
      <div className="view">
        <h1>Quotas</h1>
        <ListCount of="limits" text={undefined} error={error} />
        {error === undefined ? <Skeletons /> : <FailureNotice error={error} onRetry={refresh} />}
      </div>
    );
  }
  const users = workspaces.map(usersOf);
  const isReading = all !== undefined && !all.isComplete && all.error === undefined;
  return (
    <div className="view">
      <div className="view-bar">
        <h1>Quotas</h1>
        {filterField}
        <ListCount
          of="limits"
          text={all?.isComplete === false ? undefined : `${plural(rows.length, 'limit')}, the most used first`}
          error={all?.error}
        />
        <span />
      </div>
      {limits.length === 0 ? (
        <Notice title="No limits">The platform has set no limits for this account.</Notice>
      ) : (
        <Older isOld={isReading}>
          <PlainTable columns={headings} rows={rows} noMatch={noMatch}>
            {(limit) => (
              <QuotaRow
                key={`${limit.scope} ${limit.workspace ?? ''} ${limit.resource}`}
                limit={limit}
                users={users}
                account={account}
                onChange={refresh}
              />
            )}
          </PlainTable>
        </Older>
      )}
      {found.workspaces !== null && all !== undefined && (
        <FurtherPages of="workspaces" list={all} totalCount={found.workspaces.totalCount} />
      )}
    </div>
  );
}

type FoundAccount = NonNullable<ResultOf<typeof quotasQuery>['account']>;
type FoundWorkspace = NonNullable<FoundAccount['workspaces']>['nodes'][number];

/** The limits of an account, its regions and its workspaces, the most used first. */
function limitsOf({ quotas: ofAccount, regionQuotas }: FoundAccount, workspaces: readonly FoundWorkspace[]): Limit[] {
  const limits: Limit[] = [
    ...(ofAccount ?? []).map((quota) => ({ ...quota, scope: 'Account' })),
    ...(regionQuotas ?? []).map((quota) => ({ ...quota, scope: `Region ${quota.region ?? ''}` })),
    ...workspaces.flatMap(({ name, displayName, quotas }) =>
      (quotas ?? []).map((quota) => ({ ...quota, scope: displayName ?? name, workspace: name })),
    ),
  ];
  return limits.toSorted((one, other) => percentOf(other) - percentOf(one));
}

/** What a workspace has of each kind. */
interface Users {
  name: string;
  title: string;
  counts: ReturnType<typeof countsFrom>;
}

function usersOf(workspace: ResultOf<typeof holdings> & { name: string; displayName: string | null }): Users {
  return { name: workspace.name, title: titleOf(workspace), counts: countsFrom(workspace) };
}

const columns: TableColumn<Limit>[] = [
  { label: 'Limit', value: ({ resource }) => labels[resource] },
  { label: 'Applies to', value: ({ scope }) => scope },
  { label: 'Use', value: percentOf },
  { label: 'Used', isNumber: true, value: percentOf },
  { label: 'Amount', isNumber: true, value: ({ limit }) => limit },
  { label: 'Uses most' },
];

interface QuotaRowProps {
  limit: Limit;
  users: readonly Users[];
  account: ViewerAccount;
  onChange: () => void;
}

function QuotaRow({ limit, users, account, onChange }: QuotaRowProps): ReactElement {
  const { scope, workspace, resource, isDefault } = limit;
  const percent = percentOf(limit);
  const level = percent >= 100 ? 'full' : percent >= 80 ? 'near' : '';
  const label = labels[resource];
  const kind = listed[resource];
  // Those of a region are not known by workspace.
  const most = limit.region === null && workspace === undefined && kind !== undefined ? mostOf(users, kind) : undefined;
  return (
    <tr>
      <td>
        {workspace === undefined || kind === undefined ? (
          label
        ) : (
          <ListLink workspace={workspace} kind={kind}>
            {label}
          </ListLink>
        )}
      </td>
      <td data-label="Applies to">{scope}</td>
      <td className="quota-cell">
        <span className="quota-bar" role="img" aria-label={`${formatPercent(percent)} used`}>
          <span className={level} style={{ width: `${Math.min(percent, 100)}%` }} />
        </span>
      </td>
      <td className={level === 'full' ? 'number over-quota' : 'number'} data-label="Used">
        {formatPercent(percent)}
      </td>
      <td className="number" data-label="Amount">
        {usedText(limit)}
        {isDefault && <span className="quiet"> (plan)</span>}
      </td>
      <td data-label={most === undefined ? undefined : 'Uses most'}>
        {most !== undefined && kind !== undefined && (
          <>
            <ListLink workspace={most.name} kind={kind}>
              {most.title}
            </ListLink>{' '}
            <span className="quiet">{formatCount(most.counts[kind])}</span>
          </>
        )}
      </td>
      <td>
        <RaiseQuota limit={limit} label={label} account={account} onDone={onChange} />
      </td>
    </tr>
  );
}

/** The workspace with the most of a kind; undefined if none has any. */
function mostOf(users: readonly Users[], kind: CountedKind): Users | undefined {
  const [most] = users.toSorted((one, other) => other.counts[kind] - one.counts[kind]);
  return most !== undefined && most.counts[kind] > 0 ? most : undefined;
}

interface ListLinkProps {
  workspace: string;
  kind: CountedKind;
  children: ReactNode;
}

/** A link to the list of what a limit counts. */
function ListLink({ workspace, kind, children }: ListLinkProps): ReactElement {
  if (kind === 'images') {
    return (
      <Link to="/w/$workspace/images" params={{ workspace }} className="text-link">
        {children}
      </Link>
    );
  }
  return (
    <Link to="/w/$workspace/$kind" params={{ workspace, kind }} className="text-link">
      {children}
    </Link>
  );
}

type CountedKind = Kind | 'images';

/** The lists of what the limits count. */
const listed: Partial<Record<Limit['resource'], CountedKind>> = {
  AGENT: 'agents',
  SANDBOX: 'sandboxes',
  JOB: 'jobs',
  VOLUME: 'volumes',
  VPC: 'networks',
  IMAGE: 'images',
};
