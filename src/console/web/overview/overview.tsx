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
  const [{ data: counted }, countAgain] = useAnswer({ query: toneCountsQuery, variables: { workspace } });
  useRefresh(() => {
    again({ requestPolicy: 'network-only' });
    countAgain({ requestPolicy: 'network-only' });
  });
  const { workspaces, accounts } = useViewer();
  const current = workspaces.find(({ name }) => name === workspace);
  const account = accounts.find(({ name }) => name === current?.account.name);
  const counts = toneCountsFrom(counted?.workspace);
  const states = data?.workspace == null ? undefined : statesFrom(data.workspace);
  return (
    <div className="view">
      <h1 className="hidden">Overview</h1>
      {error !== undefined && states === undefined ? (
        <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
      ) : (
        <StateLine counts={counts} workspace={workspace} />
      )}
      <div className="overview-grid">
        <div>
          <Attention states={states} counts={counts} workspace={workspace} />
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
