import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { pageClient } from '../api/client.js';
import { loadPart } from '../api/load-part.js';
import { useAllNodes } from '../api/use-all-nodes.js';
import { useAnswer, useLastAnswer } from '../api/use-answer.js';
import { metricsQuery, nanosOf, pastDays, totalOf } from '../costs/metrics.js';
import type { Entry } from '../costs/metrics.js';
import { useUsedLabels } from '../costs/use-used-labels.js';
import { useViewer } from '../frame/viewer.js';
import type { ViewerAccount } from '../frame/viewer.js';
import { kindBilledAs } from '../kinds/kinds.js';
import { readStored, store } from '../lists/browser-storage.js';
import { labelFilterText } from '../lists/label-filter.js';
import { changeOf, formatChange } from '../look/money.js';
import { Money } from '../look/money-text.js';
import { FailureNotice } from '../look/notice.js';
import { wordOf } from '../look/labels.js';
import { Skeletons } from '../look/skeletons.js';

/** Not part of the first script. */
const Choice = lazy(async () => ({ default: (await loadPart(() => import('../look/choice.js'))).Choice<string> }));

const shownMax = 8;
const days = 7;

/** The most expensive resources, or values of a label, of the last 7 days, compared to the previous 7 days. */
export function TopCosts({ account, workspace }: { account: ViewerAccount; workspace: string }): ReactElement {
  const isAdmin = account.viewerRole === 'ADMIN';
  const own = useViewer().workspaces.filter((each) => each.account.id === account.id);
  // Only account admins can ask for the costs of one workspace.
  const isOfWorkspace = isAdmin || own.length === 1;
  const { startTime, endTime } = pastDays(new Date(), 2 * days);
  const labels = useUsedLabels(account.id, { from: startTime, to: endTime });
  const remembered = `console:top-costs:${account.name}`;
  const [label, setLabel] = useState(() => {
    const stored = readStored(remembered);
    return typeof stored === 'string' ? stored : '';
  });
  const keys = [...new Set([...labels.map(({ key }) => key), ...(label === '' ? [] : [label])])];
  const variables = useMemo(
    () => ({
      account: account.id,
      startTime,
      endTime,
      resolution: 'DAILY' as const,
      ...(label === ''
        ? { groupBy: ['RESOURCE_NAME' as const, 'RESOURCE_TYPE' as const] }
        : { groupByLabels: [label] }),
      orderBy: { field: 'COST' as const, direction: 'DESC' as const },
      first: 40,
      ...(isAdmin ? { workspace } : {}),
    }),
    [account.id, startTime, endTime, label, isAdmin, workspace],
  );
  const [{ data, error }, again] = useAnswer({ query: metricsQuery, variables });
  const readNext = useCallback(
    async (after: string) => {
      const { data: next } = await pageClient.query(metricsQuery, { ...variables, after }).toPromise();
      return next?.account?.metrics?.entries;
    },
    [variables],
  );
  const all = useAllNodes(data?.account?.metrics?.entries, readNext, hasTop);
  const answered = all?.isComplete === true ? { entries: all.nodes, label } : undefined;
  const { shown: current, isOld } = useLastAnswer(answered, error);
  const shown = current === undefined ? undefined : topOf(current.entries);
  const shownLabel = current?.label ?? '';
  return (
    <section className="panel" aria-labelledby="top-costs-title">
      <header>
        <h2 id="top-costs-title">
          Top costs{' '}
          <span className="quiet">{isOfWorkspace ? '' : 'all your workspaces, '}last 7 days vs. previous 7 days</span>
        </h2>
        {keys.length > 0 && (
          <Suspense fallback={<span className="top-costs-by" />}>
            <Choice
              label="By"
              value={label}
              options={[{ value: '', label: 'resource' }, ...keys.map((key) => ({ value: key, label: key }))]}
              onChange={(next: string) => {
                setLabel(next);
                store(remembered, next === '' ? undefined : next);
              }}
            />
          </Suspense>
        )}
      </header>
      {error !== undefined && shown === undefined ? (
        <FailureNotice error={error} onRetry={() => again({ requestPolicy: 'network-only' })} />
      ) : shown === undefined ? (
        <Skeletons />
      ) : shown.length === 0 ? (
        <p className="quiet">No usage in the last 7 days.</p>
      ) : (
        <table className={isOld ? 'top-costs older' : 'top-costs'} aria-busy={isOld}>
          <colgroup>
            <col />
            <col className="top-costs-type" />
            <col className="top-costs-cost" />
            <col className="top-costs-change" />
          </colgroup>
          <thead className="hidden">
            <tr>
              <th scope="col">{shownLabel === '' ? 'Resource' : shownLabel}</th>
              <th scope="col">Type</th>
              <th scope="col">Cost</th>
              <th scope="col">Change</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ resourceName, resourceType, labels: values, now, before }) => {
              const change = changeOf(now, before);
              const value = values.find(({ key }) => key === shownLabel)?.value ?? undefined;
              return (
                <tr key={JSON.stringify([resourceType, resourceName, value])}>
                  <td className="cut">
                    {shownLabel === '' ? (
                      <ResourceName
                        workspace={isOfWorkspace ? workspace : undefined}
                        type={resourceType ?? ''}
                        name={resourceName ?? ''}
                      />
                    ) : (
                      <Link
                        to="/a/$account/costs"
                        params={{ account: account.name }}
                        search={{
                          ...(isAdmin ? { workspace } : {}),
                          label: [labelFilterText(shownLabel, value)],
                          by: ['resource_name'],
                          compare: true,
                        }}
                      >
                        {value ?? '(none)'}
                      </Link>
                    )}
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

/** The most expensive of the last days, with the cost of the days before. */
function topOf(entries: readonly Entry[]) {
  return entries
    .map((entry) => {
      const nanos = nanosOf(entry);
      return { ...entry, now: totalOf(nanos.slice(days)), before: totalOf(nanos.slice(0, days)) };
    })
    .toSorted((one, other) => (one.now < other.now ? 1 : -1))
    .slice(0, shownMax);
}

/** Whether no further entry can be among the most expensive. Entries are sorted by their cost in both periods. */
function hasTop(entries: readonly Entry[]): boolean {
  const last = entries.at(-1);
  const least = topOf(entries)[shownMax - 1];
  return last !== undefined && least !== undefined && totalOf(nanosOf(last)) <= least.now;
}

interface ResourceNameProps {
  /** Undefined if it is not known. */
  workspace: string | undefined;
  type: string;
  name: string;
}

function ResourceName({ workspace, type, name }: ResourceNameProps): ReactElement {
  const kind = kindBilledAs(type);
  if (kind === undefined || workspace === undefined) return <span className="mono">{name}</span>;
  return (
    <Link to="/w/$workspace/$kind/$name" params={{ workspace, kind, name }} className="mono" title={name}>
      {name}
    </Link>
  );
}
