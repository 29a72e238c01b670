import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { usePolling } from '../api/use-polling.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import type { Kind } from '../kinds/kinds.js';
import { formatCount } from '../look/money.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { PlainTable, useTableRows } from '../look/plain-table.js';
import type { TableColumn } from '../look/plain-table.js';
import { Skeletons } from '../look/skeletons.js';
import '../look/plain-table.css';
import './quotas.css';

const quotaFields = graphql(`
  fragment QuotaFields on Quota {
    resource
    limit
    used
    region
    isDefault
  }
`);

const quotasQuery = graphql(
  `
    query Quotas($account: ID!) {
      account(id: $account) {
        id
        quotas {
          ...QuotaFields
        }
        regionQuotas {
          ...QuotaFields
        }
        workspaces(first: 50) {
          nodes {
            id
            name
            displayName
            quotas {
              ...QuotaFields
            }
          }
        }
      }
    }
  `,
  [quotaFields],
);

type Quota = ResultOf<typeof quotaFields>;

const route = getRouteApi('/a/$account/quotas');
const pollMs = 10_000;

/** The limits of an account, its regions and its workspaces, with their use. */
export function QuotasView(): ReactElement {
  const { account: name } = route.useParams();
  const account = useAccount(name);
  return account === undefined ? <NoAccount name={name} /> : <Quotas key={account.id} account={account} />;
}

function Quotas({ account }: { account: ViewerAccount }): ReactElement {
  const [{ data, error }, again] = useAnswer({ query: quotasQuery, variables: { account: account.id } });
  usePolling(again, pollMs);
  const found = data?.account;
  if (found == null) {
    const retry = () => again({ requestPolicy: 'network-only' });
    return (
      <div className="view">
        <h1>Quotas</h1>
        {error === undefined ? <Skeletons /> : <FailureNotice error={error} onRetry={retry} />}
      </div>
    );
  }
  const limits: Limit[] = [
    ...(found.quotas ?? []).map((quota) => ({ ...quota, scope: 'Account' })),
    ...(found.regionQuotas ?? []).map((quota) => ({ ...quota, scope: `Region ${quota.region ?? ''}` })),
    ...(found.workspaces?.nodes ?? []).flatMap(({ name, displayName, quotas }) =>
      (quotas ?? []).map((quota) => ({ ...quota, scope: displayName ?? name, workspace: name })),
    ),
  ];
  return (
    <div className="view">
      <h1>Quotas</h1>
      {limits.length === 0 ? (
        <Notice title="No limits">The platform has set no limits for this account.</Notice>
      ) : (
        <>
          <p className="quiet quotas-hint">
            The most used limits come first. Ask the platform's administrators to raise a limit.
          </p>
          <QuotaTable limits={limits} />
        </>
      )}
    </div>
  );
}

/** A limit with what it applies to. */
interface Limit extends Quota {
  scope: string;
  /** The name of its workspace, if it is the limit of one. */
  workspace?: string;
}

const columns: TableColumn<Limit>[] = [
  { label: 'Limit', value: ({ resource }) => labels[resource] },
  { label: 'Applies to', value: ({ scope }) => scope },
  { label: 'Use', value: percentOf },
  { label: 'Used', isNumber: true, value: percentOf },
  { label: 'Amount', isNumber: true, value: ({ limit }) => limit },
];

function QuotaTable({ limits }: { limits: readonly Limit[] }): ReactElement {
  const mostUsed = limits.toSorted((one, other) => percentOf(other) - percentOf(one));
  const { rows, headings } = useTableRows(mostUsed, columns, ({ scope }) => scope);
  return (
    <PlainTable columns={headings}>
      {rows.map((limit) => (
        <QuotaRow key={`${limit.scope} ${limit.workspace ?? ''} ${limit.resource}`} limit={limit} />
      ))}
    </PlainTable>
  );
}

/** The used part of a limit in whole percent. */
function percentOf({ limit, used }: Quota): number {
  const use = used ?? 0;
  return limit === 0 ? (use > 0 ? 100 : 0) : Math.floor((use / limit) * 100);
}

function QuotaRow({ limit: { scope, workspace, ...quota } }: { limit: Limit }): ReactElement {
  const percent = percentOf(quota);
  const level = percent >= 100 ? 'full' : percent >= 80 ? 'near' : '';
  const label = labels[quota.resource];
  const kind = listed[quota.resource];
  return (
    <tr>
      <td>
        {workspace === undefined || kind === undefined ? (
          label
        ) : (
          <Link to="/w/$workspace/$kind" params={{ workspace, kind }} className="text-link">
            {label}
          </Link>
        )}
      </td>
      <td data-label="Applies to">{scope}</td>
      <td className="quota-cell">
        <span className="quota-bar" role="img" aria-label={`${percent} % used`}>
          <span className={level} style={{ width: `${Math.min(percent, 100)}%` }} />
        </span>
      </td>
      <td className={level === 'full' ? 'number over-quota' : 'number'} data-label="Used">
        {percent} %
      </td>
      <td className="number" data-label="Amount">
        {formatCount(quota.used ?? 0)} of {formatCount(quota.limit)}
        {quota.isDefault && <span className="quiet"> (plan)</span>}
      </td>
      <td />
    </tr>
  );
}

/** The lists of what the limits count. */
const listed: Partial<Record<Quota['resource'], Kind>> = {
  AGENT: 'agents',
  SANDBOX: 'sandboxes',
  JOB: 'jobs',
  VOLUME: 'volumes',
  VPC: 'networks',
};

const labels: Record<Quota['resource'], string> = {
  AGENT: 'Agents',
  SANDBOX: 'Sandboxes',
  SANDBOX_PREVIEW: 'Previews',
  JOB: 'Jobs',
  JOB_EXECUTION: 'Executions',
  VOLUME: 'Volumes',
  IMAGE: 'Images',
  IMAGE_TAG: 'Image tags',
  IMAGE_SHARE: 'Image shares',
  VPC: 'VPCs',
  EGRESS_GATEWAY: 'Egress gateways',
  EGRESS_IP: 'Egress IPs',
  MEMORY: 'Memory (MB)',
  INSTANCES: 'Instances',
  CONCURRENT_EXECUTIONS: 'Concurrent executions',
  USAGE_EVENTS: 'Usage events per minute',
};
