import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { coloursOf } from '../charts/colours.js';
import { StackedBars } from '../charts/stacked-bars.js';
import { metricsQuery, nanosOf, totalOf } from '../costs/metrics.js';
import type { Entry } from '../costs/metrics.js';
import { useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { nanoFrom } from '../look/decimal.js';
import { Money } from '../look/money-text.js';
import { capitalize, dimensionWord } from '../look/labels.js';
import { dateFormat } from '../look/locale.js';
import { FailureNotice } from '../look/notice.js';
import { Section } from './section.js';

const dayMs = 86_400_000;
const days = 30;

interface ResourceCostProps {
  account: ViewerAccount;
  workspace: string;
  type: string;
  name: string;
  /** Whether the costs of each day are listed below the chart. */
  isDetailed?: boolean;
}

/** The costs of a resource in the last 30 days, by billing dimension. */
export function ResourceCost({ account, workspace, type, name, isDetailed = false }: ResourceCostProps): ReactElement {
  const isAdmin = account.viewerRole === 'ADMIN';
  const own = useViewer().workspaces.filter((each) => each.account.id === account.id);
  const end = Math.floor(Date.now() / dayMs) * dayMs + dayMs;
  const startTime = new Date(end - days * dayMs).toISOString();
  const endTime = new Date(end).toISOString();
  const [{ data, error }, again] = useAnswer({
    query: metricsQuery,
    variables: {
      account: account.id,
      startTime,
      endTime,
      resolution: 'DAILY',
      groupBy: ['BILLING_DIMENSION'],
      resourceType: type,
      resourceName: name,
      ...(isAdmin ? { workspace } : {}),
    },
  });
  const metrics = data?.account?.metrics;
  if (metrics == null) {
    return (
      <Section title="Cost, last 30 days">
        {error === undefined ? (
          <div style={{ height: isDetailed ? 268 : 200 }} aria-busy="true" />
        ) : (
          <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
        )}
      </Section>
    );
  }
  const entries = metrics.entries.nodes;
  const colours = coloursOf(entries.map(({ billingDimension }) => billingDimension ?? ''));
  return (
    <Section
      title="Cost, last 30 days"
      aside={
        <Link
          to="/a/$account/costs"
          params={{ account: account.name }}
          search={{
            from: startTime,
            to: endTime,
            by: ['billing_dimension'],
            type,
            name,
            ...(isAdmin ? { workspace } : {}),
          }}
          className="text-link"
        >
          View costs
        </Link>
      }
    >
      {entries.length === 0 ? (
        <p className="quiet">No costs in the last 30 days.</p>
      ) : (
        <>
          <p>
            <strong>
              <Money nano={nanoFrom(metrics.summary.totalCost)} />
            </strong>{' '}
            <span className="quiet">
              UTC{!isAdmin && own.length > 1 && ', with resources of this name in your other workspaces'}
            </span>
          </p>
          <StackedBars
            label="Cost by day"
            height={isDetailed ? 200 : 132}
            running={days - 1}
            buckets={(entries[0]?.timeseries ?? []).map(({ timestamp }) => ({
              timestamp,
              tick: dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' }).format(Date.parse(timestamp)),
              title: dateFormat({ dateStyle: 'full', timeZone: 'UTC' }).format(Date.parse(timestamp)),
            }))}
            series={entries.map((entry) => ({
              key: entry.billingDimension ?? '',
              label: dimensionWord(entry.billingDimension ?? ''),
              colour: colours.get(entry.billingDimension ?? '') ?? '',
              nanos: nanosOf(entry),
            }))}
          />
          <ul className="legend">
            {entries.map(({ billingDimension, cost }) => (
              <li key={billingDimension}>
                <span className="swatch" style={{ background: colours.get(billingDimension ?? '') }} />
                {dimensionWord(billingDimension ?? '')} <Money nano={nanoFrom(cost)} className="quiet" />
              </li>
            ))}
          </ul>
          {isDetailed && <DayTable entries={entries} total={nanoFrom(metrics.summary.totalCost)} />}
        </>
      )}
    </Section>
  );
}

/** The numbers of the chart, the latest day first. */
function DayTable({ entries, total }: { entries: readonly Entry[]; total: bigint }): ReactElement {
  const columns = entries.map((entry) => ({ ...entry, nanos: nanosOf(entry) }));
  const dayTotals = (entries[0]?.timeseries ?? []).map(({ timestamp }, day) => ({
    timestamp,
    day,
    total: totalOf(columns.map(({ nanos }) => nanos[day] ?? 0n)),
  }));
  return (
    <div className="table-space cost-days" role="region" aria-label="Daily costs" tabIndex={0}>
      <table className="plain-table">
        <caption className="hidden">Cost by day</caption>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            {columns.map(({ billingDimension }) => (
              <th key={billingDimension} scope="col" className="number">
                {capitalize(dimensionWord(billingDimension ?? ''))}
              </th>
            ))}
            <th scope="col" className="number">
              Total
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Total</th>
            {columns.map(({ billingDimension, cost }) => (
              <td key={billingDimension} className="number">
                <Money nano={nanoFrom(cost)} />
              </td>
            ))}
            <td className="number">
              <strong>
                <Money nano={total} />
              </strong>
            </td>
          </tr>
          {dayTotals.toReversed().map((row) => (
            <tr key={row.timestamp}>
              <th scope="row">
                {dateFormat({ dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(row.timestamp))}
              </th>
              {columns.map(({ billingDimension, nanos }) => (
                <td key={billingDimension} className="number">
                  <Money nano={nanos[row.day] ?? 0n} />
                </td>
              ))}
              <td className="number">
                <Money nano={row.total} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
