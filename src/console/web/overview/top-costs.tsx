import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { metricsQuery, nanosOf, pastDays, totalOf } from '../costs/metrics.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { kindBilledAs } from '../kinds/kinds.js';
import { changeOf, formatChange } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { FailureNotice } from '../look/notice.js';
import { wordOf } from '../look/labels.js';
import { Skeletons } from '../look/skeletons.js';

const shownMax = 8;
const days = 7;

/** The most expensive resources of the last 7 days, compared to the previous 7 days. */
export function TopCosts({ account, workspace }: { account: ViewerAccount; workspace: string }): ReactElement {
  const isAdmin = account.viewerRole === 'ADMIN';
  const [{ data, error }, again] = useAnswer({
    query: metricsQuery,
    variables: {
      account: account.id,
      ...pastDays(new Date(), 2 * days),
      resolution: 'DAILY',
      groupBy: ['RESOURCE_NAME', 'RESOURCE_TYPE'],
      orderBy: { field: 'COST', direction: 'DESC' },
      first: 40,
      ...(isAdmin ? { workspace } : {}),
    },
  });
  const entries = data?.account?.metrics?.entries.nodes.map((entry) => {
    const nanos = nanosOf(entry);
    return { ...entry, now: totalOf(nanos.slice(days)), before: totalOf(nanos.slice(0, days)) };
  });
  const shown = entries?.toSorted((one, other) => (one.now < other.now ? 1 : -1)).slice(0, shownMax);
  return (
    <section className="panel" aria-labelledby="top-costs-title">
      <header>
        <h2 id="top-costs-title">
          Top costs <span className="quiet">last 7 days vs. previous 7 days</span>
        </h2>
      </header>
      {error !== undefined && shown === undefined ? (
        <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
      ) : shown === undefined ? (
        <Skeletons />
      ) : shown.length === 0 ? (
        <p className="quiet">No usage in the last 7 days.</p>
      ) : (
        <table className="top-costs">
          <colgroup>
            <col />
            <col className="top-costs-type" />
            <col className="top-costs-cost" />
            <col className="top-costs-change" />
          </colgroup>
          <thead className="hidden">
            <tr>
              <th scope="col">Resource</th>
              <th scope="col">Type</th>
              <th scope="col">Cost</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ resourceName, resourceType, now, before }) => {
              const change = changeOf(now, before);
              return (
                <tr key={`${resourceType} ${resourceName}`}>
                  <td className="cut">
                    <ResourceName workspace={workspace} type={resourceType ?? ''} name={resourceName ?? ''} />
                  </td>
                  <td className="quiet">{wordOf(resourceType ?? '')}</td>
                  <td className="number">
                    <Money nano={now} />
                  </td>
                  <td className="number quiet">
                    {before === 0n ? 'New' : change === undefined ? '' : formatChange(change)}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}

function ResourceName({ workspace, type, name }: { workspace: string; type: string; name: string }): ReactElement {
  const kind = kindBilledAs(type);
  if (kind === undefined) return <span className="mono">{name}</span>;
  return (
    <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind, name }} className="mono" title={name}>
      {name}
    </Link>
  );
}
