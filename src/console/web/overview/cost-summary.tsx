import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { stateOf, useAnswer } from '../api/use-answer.js';
import { graphql } from '../api/graphql.js';
import { usePolling } from '../api/use-polling.js';
import { coloursOf } from '../charts/colours.js';
import { StackedBars } from '../charts/stacked-bars.js';
import { metricsQuery, monthWindow, nanosOf } from '../costs/metrics.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { nanoFrom } from '../look/decimal.js';
import { dollarsOf, formatRoundMoney } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { FailureNotice } from '../look/notice.js';
import { OptionsState } from '../look/options-state.js';
import { wordOf } from '../look/labels.js';
import { dateFormat, numberFormat } from '../look/locale.js';

const dayMs = 86_400_000;

/** The forecast for this month, for the workspace or for all accessible workspaces of the account. */
const forecastQuery = graphql(`
  query CostForecast($account: ID!, $workspace: String!, $isOfWorkspace: Boolean!) {
    account(id: $account) {
      id
      overview @skip(if: $isOfWorkspace) {
        cost {
          forecast
        }
      }
    }
    workspace(name: $workspace) @include(if: $isOfWorkspace) {
      id
      overview {
        cost {
          forecast
        }
      }
    }
  }
`);

/** The costs of this month by day and resource type, with a forecast. */
export function CostSummary({ account, workspace }: { account: ViewerAccount; workspace: string }): ReactElement {
  const isAdmin = account.viewerRole === 'ADMIN';
  const window = monthWindow(new Date());
  const [{ data, error }, again] = useAnswer({
    query: metricsQuery,
    variables: {
      account: account.id,
      ...window,
      resolution: 'DAILY',
      groupBy: ['RESOURCE_TYPE'],
      orderBy: { field: 'COST', direction: 'DESC' },
      first: 100,
      ...(isAdmin ? { workspace } : {}),
    },
  });
  usePolling(again, 60_000);
  const ofForecast = useAnswer({
    query: forecastQuery,
    variables: { account: account.id, workspace, isOfWorkspace: isAdmin },
  });
  const [{ data: forecast }, forecastAgain] = ofForecast;
  const forecasting = stateOf(ofForecast);
  usePolling(forecastAgain, 60_000);
  const projected = (forecast?.workspace ?? forecast?.account)?.overview?.cost?.forecast;
  const metrics = data?.account?.metrics;
  const entries = metrics?.entries.nodes ?? [];
  const colours = coloursOf(entries.map(({ resourceType }) => resourceType ?? ''));
  const series = entries.map((entry) => ({
    key: entry.resourceType ?? '',
    label: wordOf(entry.resourceType ?? ''),
    colour: colours.get(entry.resourceType ?? '') ?? '',
    nanos: nanosOf(entry),
  }));
  const buckets = (entries[0]?.timeseries ?? []).map(({ timestamp }) => ({
    timestamp,
    tick: String(new Date(timestamp).getUTCDate()),
    title: dateFormat({ dateStyle: 'full', timeZone: 'UTC' }).format(Date.parse(timestamp)),
  }));
  const total = nanoFrom(metrics?.summary.totalCost ?? '0');
  const days = Math.round((Date.parse(window.endTime) - Date.parse(window.startTime)) / dayMs);
  const elapsedDays = (Date.now() - Date.parse(window.startTime)) / dayMs;
  return (
    <section className="panel" aria-labelledby="month-title">
      <header>
        <h2 id="month-title">
          Cost this month <span className="quiet">{isAdmin ? '' : 'all your workspaces, '}by resource type (UTC)</span>
        </h2>
        <Link
          to="/a/$account/costs"
          params={{ account: account.name }}
          search={isAdmin ? { workspace } : {}}
          className="text-link"
        >
          View costs
        </Link>
      </header>
      {error !== undefined && metrics === undefined ? (
        <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
      ) : metrics === undefined ? (
        <div style={{ height: 262 }} aria-busy="true" />
      ) : entries.length === 0 ? (
        <p className="quiet">No usage this month.</p>
      ) : (
        <>
          <p className="month-total" aria-busy={forecasting.isLoading}>
            <strong>
              <Money nano={total} />
            </strong>{' '}
            <span
              className="quiet"
              title={`Average daily cost of the first ${numberFormat({ maximumFractionDigits: 1 }).format(elapsedDays)} days, projected to ${days} days. Credits are not projected.`}
            >
              month to date
              {projected === undefined ? '' : ` · Forecast ${formatRoundMoney(dollarsOf(nanoFrom(projected)))}`}
            </span>
          </p>
          {forecasting.error !== undefined && <OptionsState of="the forecast" state={forecasting} />}
          <StackedBars
            label="Cost by day"
            height={176}
            buckets={buckets}
            series={series}
            running={Math.floor(elapsedDays)}
          />
          <ul className="legend">
            {series.map(({ key, label, colour }, index) => (
              <li key={key}>
                <span className="swatch" style={{ background: colour }} />
                {label} <Money nano={nanoFrom(entries[index]?.cost ?? '0')} className="quiet" />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
