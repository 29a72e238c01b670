import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { NoAccount } from '../access/no-account.js';
import { graphql } from '../api/graphql.js';
import type { ResultOf } from '../api/graphql.js';
import { usePolling } from '../api/use-polling.js';
import { useAccount } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { formatCount } from '../look/money.js';
import { FailureNotice, Notice } from '../look/notice.js';
import { Skeletons } from '../look/skeletons.js';
import { Section } from '../resources/section.js';
import '../resources/resource-panel.css';
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
  const ofRegions = found.regionQuotas ?? [];
  const regions = [...new Set(ofRegions.map(({ region }) => region))];
  const workspaces = (found.workspaces?.nodes ?? []).filter(({ quotas }) => (quotas ?? []).length > 0);
  const isEmpty = (found.quotas ?? []).length === 0 && regions.length === 0 && workspaces.length === 0;
  return (
    <div className="view">
      <h1>Quotas</h1>
      {isEmpty ? (
        <Notice title="No limits">The platform has set no limits for this account.</Notice>
      ) : (
        <p className="quiet quotas-hint">Ask the platform's administrators to raise a limit.</p>
      )}
      <QuotaList title="Account" quotas={found.quotas ?? []} />
      {regions.map((region) => (
        <QuotaList
          key={region}
          title={`Region ${region}`}
          quotas={ofRegions.filter((quota) => quota.region === region)}
        />
      ))}
      {workspaces.map(({ id, name, displayName, quotas }) => (
        <QuotaList key={id} title={`Workspace ${displayName ?? name}`} quotas={quotas ?? []} />
      ))}
    </div>
  );
}

function QuotaList({ title, quotas }: { title: string; quotas: readonly Quota[] }): ReactElement | null {
  if (quotas.length === 0) return null;
  return (
    <Section title={title}>
      <ul className="quotas">
        {quotas.map((quota) => (
          <li key={quota.resource}>
            <QuotaBar quota={quota} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The use of a limit as a bar, and in numbers. */
function QuotaBar({ quota: { resource, limit, used, isDefault } }: { quota: Quota }): ReactElement {
  const use = used ?? 0;
  const percent = limit === 0 ? (use > 0 ? 100 : 0) : Math.floor((use / limit) * 100);
  const level = percent >= 100 ? 'full' : percent >= 80 ? 'near' : '';
  const text = `${formatCount(use)} of ${formatCount(limit)}`;
  return (
    <>
      <span>{labels[resource]}</span>
      <span className="quota-bar" role="img" aria-label={`${percent} % used`}>
        <span className={level} style={{ width: `${Math.min(percent, 100)}%` }} />
      </span>
      <span className={level === 'full' ? 'quota-use full' : 'quota-use'}>
        {text}
        {isDefault && <span className="quiet"> (plan)</span>}
      </span>
    </>
  );
}

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
