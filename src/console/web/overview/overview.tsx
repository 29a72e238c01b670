import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { ReactElement } from 'react';
import { useAnswer } from '../api/use-answer.js';
import { loadPart } from '../api/load-part.js';
import { useViewer } from '../frame/viewer.js';
import { FailureNotice } from '../look/notice.js';
import { useRefresh } from '../api/use-refresh.js';
import { toneCountsFrom, toneCountsQuery } from '../kinds/tone-counts.js';
import { Attention } from './attention.js';
import { CostSummary } from './cost-summary.js';
import { statesFrom, statesQuery } from './overview-queries.js';
import { RecentActivity } from './recent-activity.js';
import { StateLine } from './state-line.js';
import { TopCosts } from './top-costs.js';
import './overview.css';

/** Not part of the first script. */
const BudgetSummary = lazy(async () => ({
  default: (await loadPart(() => import('../budgets/budget-summary.js'))).BudgetSummary,
}));

const route = getRouteApi('/w/$workspace/');

/** The overview of a workspace: states, failures, recent activity and costs. */
export function Overview(): ReactElement {
  const { workspace } = route.useParams();
  const [{ data, error }, again] = useAnswer({ query: statesQuery, variables: { workspace } });
  const [{ data: counted, error: countError }, countAgain] = useAnswer({
    query: toneCountsQuery,
    variables: { workspace },
  });
  const refresh = () => {
    again({ requestPolicy: 'network-only' });
    countAgain({ requestPolicy: 'network-only' });
  };
  useRefresh(refresh);
  const { workspaces, accounts } = useViewer();
  const current = workspaces.find(({ name }) => name === workspace);
  const account = accounts.find(({ name }) => name === current?.account.name);
  const counts = toneCountsFrom(counted?.workspace);
  const states = data?.workspace == null ? undefined : statesFrom(data.workspace);
  const missing = (states === undefined ? error : undefined) ?? (counts === undefined ? countError : undefined);
  return (
    <div className="view">
      <h1 className="hidden">Overview</h1>
      {missing !== undefined ? (
        <FailureNotice error={missing} onRetry={refresh} />
      ) : (
        <StateLine counts={counts} workspace={workspace} />
      )}
      <div className="overview-grid">
        <div>
          {missing === undefined && <Attention states={states} counts={counts} workspace={workspace} />}
          <RecentActivity workspace={workspace} />
        </div>
        {account !== undefined && (
          <div>
            <CostSummary account={account} workspace={workspace} />
            <Suspense>
              <BudgetSummary account={account} workspace={workspace} />
            </Suspense>
            <TopCosts key={workspace} account={account} workspace={workspace} />
          </div>
        )}
      </div>
    </div>
  );
}
